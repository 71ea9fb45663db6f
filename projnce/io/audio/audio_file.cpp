#include "projnce/io/audio/audio_file.h"

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
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/file_magic.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/protobuf.h"

namespace projnce::io {

namespace {

struct AudioCloser {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using AudioHandle = std::unique_ptr<SNDFILE, AudioCloser>;

enum class AudioFormat { kWav, kFlac, kOgg, kMp3 };

bool is_wav(std::span<const uint8_t> bytes) {
  const bool riff =
      starts_with(bytes, "RIFF") || starts_with(bytes, "RIFX") || starts_with(bytes, "RF64");
  return riff && bytes.size() >= 12 && starts_with(bytes.subspan(8), "WAVE");
}

/// An ID3 tag, or the eleven set bits at the start of a frame.
bool is_mp3(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "ID3") ||
         (bytes.size() >= 2 && bytes[0] == 0xFF && (bytes[1] & 0xE0) == 0xE0);
}

/// Detects the format of an audio file. Throws for all others: libsndfile supports dozens of
/// formats, and rejecting unused ones reduces the attack surface.
AudioFormat audio_format(std::span<const uint8_t> bytes, const std::string& name) {
  if (is_wav(bytes)) return AudioFormat::kWav;
  if (starts_with(bytes, "fLaC")) return AudioFormat::kFlac;
  if (starts_with(bytes, "OggS")) return AudioFormat::kOgg;
  if (is_mp3(bytes)) return AudioFormat::kMp3;
  if (bytes.empty()) fail(name, " is empty, expected WAV, FLAC, OGG or MP3 audio");
  reject_git_lfs_pointer(bytes, name, "audio");
  fail(name, " is not WAV, FLAC, OGG or MP3 audio");
}

/// Throws if the data chunk of a WAV extends beyond the end of the file, as in an interrupted
/// download. Accepts the placeholder sizes of programs that do not know the length in advance.
void reject_truncated_wav(std::span<const uint8_t> bytes, const std::string& name) {
  constexpr size_t kRiffHeader = 12;
  constexpr size_t kChunkHeader = 8;
  constexpr uint64_t kLengthUnknown =
      0x7FFF'F000;  // minimum placeholder of programs that write to a pipe
  if (!starts_with(bytes, "RIFF")) return;
  for (size_t at = kRiffHeader; bytes.size() - at >= kChunkHeader;) {
    const auto chunk = bytes.subspan(at);
    const uint64_t claimed = little_endian(std::as_bytes(chunk.subspan(4, 4)));
    const uint64_t present = chunk.size() - kChunkHeader;
    if (starts_with(chunk, "data")) {
      if (claimed <= present || claimed >= kLengthUnknown) return;
      fail(name, " is truncated: its header declares ", counted(claimed, "byte"),
           " of samples, found ", present);
    }
    if (claimed + claimed % 2 > present) return;
    at += kChunkHeader + claimed + claimed % 2;
  }
}

constexpr size_t kMaxAudioFileBytes = size_t{512} << 20;

/// Number of frames that a FLAC file declares, a 36-bit field of its first block; 0 if unknown.
constexpr size_t kFlacFrames = 21;  // position of its first byte, whose upper half is another field
constexpr size_t kFlacFramesEnd = 26;

int64_t declared_flac_frames(std::span<const uint8_t> bytes) {
  if (bytes.size() < kFlacFramesEnd) return 0;
  int64_t frames = bytes[kFlacFrames] & 0x0F;
  for (const uint8_t byte : bytes.subspan(kFlacFrames + 1, 4)) frames = frames << 8 | byte;
  return frames;
}

/// Returns a copy that declares no number of frames: libsndfile stops at the declared one, so that
/// a corrupt number would shorten the clip unnoticed.
std::vector<uint8_t> without_flac_frames(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  if (copy.size() < kFlacFramesEnd) return copy;
  copy[kFlacFrames] &= 0xF0;
  std::fill(copy.begin() + kFlacFrames + 1, copy.begin() + kFlacFramesEnd, uint8_t{0});
  return copy;
}

constexpr sf_count_t kBlockFrames = 4096;

/// In-memory bytes that libsndfile reads like a file.
struct AudioBytes {
  std::span<const uint8_t> bytes;
  sf_count_t position = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }

  /// As for files, positions beyond the end are valid and negative ones are not.
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
  io.get_filelen = [](void* data) { return static_cast<AudioBytes*>(data)->size(); };
  io.seek = [](sf_count_t offset, int whence, void* data) {
    return static_cast<AudioBytes*>(data)->seek(offset, whence);
  };
  io.read = [](void* out, sf_count_t count, void* data) {
    return static_cast<AudioBytes*>(data)->read(out, count);
  };
  io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.tell = [](void* data) { return static_cast<AudioBytes*>(data)->position; };
  return io;
}

AudioHandle open_audio(AudioBytes& source, SF_INFO& info, const std::string& name) {
  auto callbacks = memory_callbacks();
  // libsndfile stores the reason of a failed open in a global variable.
  static std::mutex reason_mutex;
  const std::lock_guard lock(reason_mutex);
  AudioHandle file(sf_open_virtual(&callbacks, SFM_READ, &info, &source));
  if (!file) fail(name, " cannot be decoded as audio: ", printable(sf_strerror(nullptr)));
  return file;
}

void check_audio_info(const SF_INFO& info, const std::string& name) {
  if (info.channels < 1 || info.channels > kMaxAudioChannels) {
    fail(name, " has ", counted(info.channels, "channel"), ", expected 1 to ", kMaxAudioChannels);
  }
  if (info.samplerate < kMinAudioRate || info.samplerate > kMaxAudioRate) {
    fail(name, " has ", info.samplerate, " Hz as its sampling rate, expected ", kMinAudioRate,
         " to ", kMaxAudioRate);
  }
}

[[noreturn]] void fail_too_long(const std::string& name) {
  fail(Hint{"split it into shorter files"}, name, " is too long, expected at most ",
       kMaxAudioSamples, " samples per channel");
}

/// Appends the channel mean of each frame to `samples`.
void append_mono(std::span<const float> frames, int channels, std::vector<float>& samples) {
  const auto step = static_cast<size_t>(channels);
  for (size_t at = 0; at < frames.size(); at += step) {
    double sum = 0;
    for (const float value : frames.subspan(at, step)) sum += static_cast<double>(value);
    samples.push_back(static_cast<float>(sum / channels));
  }
}

void check_audio_values(std::span<const float> frames, int channels, size_t samples_before,
                        const std::string& name) {
  const auto invalid = std::find_if(frames.begin(), frames.end(), [](float value) {
    return !(std::abs(value) <= kMaxAudioValue);  // also rejects NaN
  });
  if (invalid == frames.end()) return;
  const auto frame = static_cast<size_t>(invalid - frames.begin()) / static_cast<size_t>(channels);
  fail(name, " contains the value ", *invalid, " at sample ", samples_before + frame,
       ", expected values in about -1 to 1");
}

/// Reads to the end. Each iteration decodes at least one frame, and the total is bounded.
void read_frames(SNDFILE* file, const SF_INFO& info, Clip& clip, const std::string& name) {
  std::vector<float> block(static_cast<size_t>(kBlockFrames * info.channels));
  for (;;) {
    const auto count = sf_readf_float(file, block.data(), kBlockFrames);
    if (count <= 0) return;
    const auto frames = std::span(block).first(static_cast<size_t>(count * info.channels));
    check_audio_values(frames, info.channels, clip.samples.size(), name);
    append_mono(frames, info.channels, clip.samples);
    if (std::ssize(clip.samples) > kMaxAudioSamples) fail_too_long(name);
  }
}

/// Number of frames according to the header; 0 if unknown (MP3 only estimates it).
sf_count_t declared_frames(const SF_INFO& info, AudioFormat format) {
  const bool known = format != AudioFormat::kMp3 && info.frames != SF_COUNT_MAX;
  return known ? info.frames : 0;
}

}  // namespace

const std::vector<std::string>& audio_extensions() {
  static const std::vector<std::string> kExtensions = {".wav", ".flac", ".ogg", ".mp3"};
  return kExtensions;
}

Clip decode_audio(std::span<const uint8_t> bytes, const std::string& name) {
  const auto format = audio_format(bytes, name);
  if (format == AudioFormat::kWav) reject_truncated_wav(bytes, name);
  const bool flac = format == AudioFormat::kFlac;
  const auto patched = flac ? without_flac_frames(bytes) : std::vector<uint8_t>();
  AudioBytes source{flac ? std::span(patched) : bytes};
  SF_INFO info{};
  const auto file = open_audio(source, info, name);
  check_audio_info(info, name);
  const auto declared = flac ? declared_flac_frames(bytes) : declared_frames(info, format);
  if (declared > kMaxAudioSamples) fail_too_long(name);

  Clip clip{.rate = info.samplerate, .samples = {}};
  clip.samples.reserve(static_cast<size_t>(std::clamp<sf_count_t>(declared, 0, source.size())));
  read_frames(file.get(), info, clip, name);
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) {
    fail(name, " is corrupt after sample ", clip.samples.size(), ": ",
         printable(sf_strerror(file.get())));
  }
  if (std::ssize(clip.samples) < declared) {
    fail(name, " is truncated: its header declares ", counted(declared, "sample"), ", found ",
         clip.samples.size());
  }
  if (flac && declared > 0 && std::ssize(clip.samples) > declared) {
    fail(name, " is corrupt: its header declares ", declared, " samples, found ",
         clip.samples.size());
  }
  if (clip.samples.empty()) fail(name, " contains no samples");
  return clip;
}

Clip read_audio(const std::filesystem::path& path, const std::string& name) {
  return decode_audio(read_regular_file(path, kMaxAudioFileBytes).octets(), name);
}

std::vector<uint8_t> encode_wav(const Clip& clip) {
  constexpr uint32_t kSampleBytes = 2;
  constexpr uint32_t kHeaderBytes = 36;  // bytes after the first size field
  const auto data = static_cast<uint32_t>(clip.samples.size()) * kSampleBytes;
  const auto rate = static_cast<uint32_t>(clip.rate);
  std::string bytes = "RIFF";
  append_little_endian(bytes, kHeaderBytes + data);
  bytes += "WAVEfmt ";
  append_little_endian(bytes, uint32_t{16});                // size of the format chunk
  append_little_endian(bytes, uint16_t{1});                 // PCM
  append_little_endian(bytes, uint16_t{1});                 // channels
  append_little_endian(bytes, rate);                        // sampling rate
  append_little_endian(bytes, rate * kSampleBytes);         // bytes per second
  append_little_endian(bytes, uint16_t{kSampleBytes});      // bytes per frame
  append_little_endian(bytes, uint16_t{8 * kSampleBytes});  // bits per sample
  bytes += "data";
  append_little_endian(bytes, data);
  for (const float value : clip.samples) {
    const float bounded = std::isfinite(value) ? std::clamp(value, -1.0F, 1.0F) : 0.0F;
    append_little_endian(bytes, static_cast<uint16_t>(std::lround(32767 * bounded)));
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace projnce::io
