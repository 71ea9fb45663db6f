#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

/// Maximum length of a sound: ten minutes at 48 kHz, 110 MiB as floats.
inline constexpr int64_t kMaxSoundSamples = int64_t{10} * 60 * 48'000;
inline constexpr int kMinSoundRate = 100;
inline constexpr int kMaxSoundRate = 768'000;
inline constexpr int kMaxSoundChannels = 64;
/// Samples are normally in [-1, 1]; larger absolute values than this indicate a corrupt file.
inline constexpr float kMaxSoundValue = 1e6F;

/// Lowercase extensions of sound files. Formats are detected by content, not by extension.
const std::vector<std::string>& sound_extensions();

/// Decodes a sound (WAV, FLAC, OGG, and MP3 if the system's libsndfile supports it; detected by
/// content) at its own sampling rate. Channels are averaged; b-bit integers are divided by 2^(b-1).
/// `name` is used in error messages. Throws if the sound is corrupt, empty, truncated, not finite,
/// or exceeds the limits above. Memory use depends on the decoded data, not on sizes claimed by the
/// header.
Clip decode_sound(std::span<const uint8_t> bytes, const std::string& name);

/// decode_sound for a file. `name` is used in messages.
Clip read_sound(const std::filesystem::path& path, const std::string& name);

/// Encodes the clip as a WAV file with one channel of 16-bit PCM. Values are clipped to [-1, 1];
/// non-finite values become 0.
std::vector<uint8_t> encode_wav(const Clip& clip);

}  // namespace projnce::io
