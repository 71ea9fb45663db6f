#include "projnce/io/audio/sound_file.h"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/file_magic.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/protobuf.h"

namespace projnce::io {

namespace {

struct SoundCloser {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundHandle = std::unique_ptr<SNDFILE, SoundCloser>;

enum class SoundFormat { kWav, kFlac, kOgg, kMp3 };

bool is_wav(std::span<const uint8_t> bytes) {
  const bool riff =
      starts_with(bytes, "RIFF") || starts_with(bytes, "RIFX") || starts_with(bytes, "RF64");
  return riff && bytes.size() >= 12 && starts_with(bytes.subspan(8), "WAVE");
}

/// A tag, or the eleven set bits that begin a frame.
bool is_mp3(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "ID3") ||
         (bytes.size() >= 2 && bytes[0] == 0xFF && (bytes[1] & 0xE0) == 0xE0);
}

/// What kind of sound file these bytes are. Throws for all others: the library behind decode_sound
/// knows dozens of formats, and no parser is reached that nobody needs.
SoundFormat sound_format(std::span<const uint8_t> bytes, const std::string& name) {
  if (is_wav(bytes)) return SoundFormat::kWav;
  if (starts_with(bytes, "fLaC")) return SoundFormat::kFlac;
  if (starts_with(bytes, "OggS")) return SoundFormat::kOgg;
  if (is_mp3(bytes)) return SoundFormat::kMp3;
  if (bytes.empty()) fail(name, " is empty, expected a WAV, FLAC, OGG or MP3 sound");
  refuse_git_lfs_pointer(bytes, name, "sound");
  fail(name, " is neither a WAV, FLAC, OGG nor MP3 sound");
}

/// Throws where a WAV's samples are said to go on after the end of the file, as in a download that
/// broke off. Sizes that programs write when they do not know the length yet are let through.
void refuse_cut_wav(std::span<const uint8_t> bytes, const std::string& name) {
  constexpr size_t kRiffHeader = 12;
  constexpr size_t kChunkHeader = 8;
  constexpr uint64_t kLengthUnknown = 0x7FFF'F000;  // what writers to a pipe put there, or more
  if (!starts_with(bytes, "RIFF")) return;
  for (size_t at = kRiffHeader; bytes.size() - at >= kChunkHeader;) {
    const auto chunk = bytes.subspan(at);
    const uint64_t claimed = little_endian(std::as_bytes(chunk.subspan(4, 4)));
    const uint64_t present = chunk.size() - kChunkHeader;
    if (starts_with(chunk, "data")) {
      if (claimed <= present || claimed >= kLengthUnknown) return;
      fail(name, " is cut short: it says that it has ", claimed, " bytes of samples, and ", present,
           " are there");
    }
    if (claimed + claimed % 2 > present) return;
    at += kChunkHeader + claimed + claimed % 2;
  }
}

constexpr size_t kMaxSoundFileBytes = size_t{512}

                                      << 20;

constexpr sf_count_t kBlockFrames = 4096;

/// Bytes in memory that libsndfile reads like a file.
struct SoundBytes {
  std::span<const uint8_t> bytes;
  sf_count_t position = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }

  /// As in a file: behind the end is a place, before the beginning is none.
  sf_count_t seek(sf_count_t offset, int whence) {
    const sf_count_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : size();
    sf_count_t target = 0;
    if (__builtin_add_overflow(start, offset, &target) || target < 0) return -1;
    return position = target;
  }

  sf_count_t read(void* out, sf_count_t count) {
    const auto taken = std::clamp<sf_count_t>(count, 0, std::max<sf_count_t>(size() - position, 0));
    if (taken > 0) std::memcpy(out, bytes.data() + position, static_cast<size_t>(taken));
    position += taken;
    return taken;
  }
};

SF_VIRTUAL_IO memory_callbacks() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* data) { return static_cast<SoundBytes*>(data)->size(); };
  io.seek = [](sf_count_t offset, int whence, void* data) {
    return static_cast<SoundBytes*>(data)->seek(offset, whence);
  };
  io.read = [](void* out, sf_count_t count, void* data) {
    return static_cast<SoundBytes*>(data)->read(out, count);
  };
  io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.tell = [](void* data) { return static_cast<SoundBytes*>(data)->position; };
  return io;
}

SoundHandle open_sound(SoundBytes& source, SF_INFO& info, const std::string& name) {
  auto callbacks = memory_callbacks();
  // Why a file could not be opened, libsndfile keeps in one place for all threads.
  static std::mutex reason_mutex;
  const std::lock_guard lock(reason_mutex);
  SoundHandle file(sf_open_virtual(&callbacks, SFM_READ, &info, &source));
  if (!file) fail(name, " cannot be decoded as sound: ", printable(sf_strerror(nullptr)));
  return file;
}

void check_sound_info(const SF_INFO& info, const std::string& name) {
  if (info.channels < 1 || info.channels > kMaxSoundChannels) {
    fail(name, " has ", info.channels, " channels, expected 1 to ", kMaxSoundChannels);
  }
  if (info.samplerate < kMinSoundRate || info.samplerate > kMaxSoundRate) {
    fail(name, " has ", info.samplerate, " samples a second, expected ", kMinSoundRate, " to ",
         kMaxSoundRate);
  }
}

[[noreturn]] void fail_too_long(const std::string& name) {
  fail(Hint{"cut it into pieces"}, name, " is too long, expected at most ", kMaxSoundSamples,
       " samples a channel");
}

/// The mean of the channels of each frame, appended to `samples`.
void append_mono(std::span<const float> frames, int channels, std::vector<float>& samples) {
  const auto step = static_cast<size_t>(channels);
  for (size_t at = 0; at < frames.size(); at += step) {
    double sum = 0;
    for (const float value : frames.subspan(at, step)) sum += static_cast<double>(value);
    samples.push_back(static_cast<float>(sum / channels));
  }
}

void check_sound_values(std::span<const float> frames, int channels, size_t samples_before,
                        const std::string& name) {
  const auto absurd = std::find_if(frames.begin(), frames.end(), [](float value) {
    return !(std::abs(value) <= kMaxSoundValue);  // also where it is not a number
  });
  if (absurd == frames.end()) return;
  const auto frame = static_cast<size_t>(absurd - frames.begin()) / static_cast<size_t>(channels);
  fail(name, " holds the value ", *absurd, " at sample ", samples_before + frame,
       ", expected about -1 to 1");
}

/// Reads to the end. Every turn decodes at least one frame, and their number is limited.
void read_frames(SNDFILE* file, const SF_INFO& info, Clip& clip, const std::string& name) {
  std::vector<float> block(static_cast<size_t>(kBlockFrames * info.channels));
  for (;;) {
    const auto count = sf_readf_float(file, block.data(), kBlockFrames);
    if (count <= 0) return;
    const auto frames = std::span(block).first(static_cast<size_t>(count * info.channels));
    check_sound_values(frames, info.channels, clip.samples.size(), name);
    append_mono(frames, info.channels, clip.samples);
    if (std::ssize(clip.samples) > kMaxSoundSamples) fail_too_long(name);
  }
}

/// The number of frames that the file promises; none where it does not know (MP3 estimates it).
sf_count_t promised_frames(const SF_INFO& info, SoundFormat format) {
  const bool known = format != SoundFormat::kMp3 && info.frames != SF_COUNT_MAX;
  return known ? info.frames : 0;
}

}  // namespace

const std::vector<std::string>& sound_extensions() {
  static const std::vector<std::string> kExtensions = {".wav", ".flac", ".ogg", ".mp3"};
  return kExtensions;
}

Clip decode_sound(std::span<const uint8_t> bytes, const std::string& name) {
  const auto format = sound_format(bytes, name);
  if (format == SoundFormat::kWav) refuse_cut_wav(bytes, name);
  SoundBytes source{bytes};
  SF_INFO info{};
  const auto file = open_sound(source, info, name);
  check_sound_info(info, name);
  const auto promised = promised_frames(info, format);
  if (promised > kMaxSoundSamples) fail_too_long(name);

  Clip clip{.rate = info.samplerate, .samples = {}};
  clip.samples.reserve(static_cast<size_t>(std::clamp<sf_count_t>(promised, 0, source.size())));
  read_frames(file.get(), info, clip, name);
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) {
    fail(name, " is damaged after sample ", clip.samples.size(), ": ",
         printable(sf_strerror(file.get())));
  }
  if (std::ssize(clip.samples) < promised) {
    fail(name, " is cut short: it says that it has ", promised, " samples, and ",
         clip.samples.size(), " are there");
  }
  if (clip.samples.empty()) fail(name, " holds no samples, expected a sound");
  return clip;
}

Clip read_sound(const std::filesystem::path& path, const std::string& name) {
  return decode_sound(read_regular_file(path, kMaxSoundFileBytes).octets(), name);
}

std::vector<uint8_t> encode_wav(const Clip& clip) {
  constexpr uint32_t kSampleBytes = 2;
  constexpr uint32_t kHeaderBytes = 36;  // what follows the first size
  const auto data = static_cast<uint32_t>(clip.samples.size()) * kSampleBytes;
  const auto rate = static_cast<uint32_t>(clip.rate);
  std::string bytes = "RIFF";
  append_little_endian(bytes, kHeaderBytes + data);
  bytes += "WAVEfmt ";
  append_little_endian(bytes, uint32_t{16});                // bytes of the format
  append_little_endian(bytes, uint16_t{1});                 // PCM
  append_little_endian(bytes, uint16_t{1});                 // channels
  append_little_endian(bytes, rate);                        // samples a second
  append_little_endian(bytes, rate * kSampleBytes);         // bytes a second
  append_little_endian(bytes, uint16_t{kSampleBytes});      // bytes of a frame
  append_little_endian(bytes, uint16_t{8 * kSampleBytes});  // bits of a sample
  bytes += "data";
  append_little_endian(bytes, data);
  for (const float value : clip.samples) {
    const float bounded = std::isfinite(value) ? std::clamp(value, -1.0F, 1.0F) : 0.0F;
    append_little_endian(bytes, static_cast<uint16_t>(std::lround(32767 * bounded)));
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace projnce::io
