#include "projnce/io/sound_format.h"

#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/file_magic.h"

namespace projnce {

namespace {

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

}  // namespace

SoundFormat sound_format(std::span<const uint8_t> bytes, const std::string& name) {
  if (is_wav(bytes)) return SoundFormat::kWav;
  if (starts_with(bytes, "fLaC")) return SoundFormat::kFlac;
  if (starts_with(bytes, "OggS")) return SoundFormat::kOgg;
  if (is_mp3(bytes)) return SoundFormat::kMp3;
  if (bytes.empty()) fail(name, " is empty, expected a WAV, FLAC, OGG or MP3 sound");
  refuse_git_lfs_pointer(bytes, name, "sound");
  fail(name, " is neither a WAV, FLAC, OGG nor MP3 sound");
}

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

}  // namespace projnce
