#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

/// Maximum length of a clip: ten minutes at 48 kHz, 110 MiB as floats.
inline constexpr int64_t kMaxAudioSamples = int64_t{10} * 60 * 48'000;
inline constexpr int kMinAudioRate = 100;
inline constexpr int kMaxAudioRate = 768'000;
inline constexpr int kMaxAudioChannels = 64;
/// Samples are normally in [-1, 1]; larger absolute values than this indicate a corrupt file.
inline constexpr float kMaxAudioValue = 1e6F;

/// Lowercase extensions of audio files. Formats are detected by content, not by extension.
const std::vector<std::string>& audio_extensions();

/// Decodes a clip (WAV, FLAC, OGG, and MP3 if the system's libsndfile supports it; detected by
/// content) at its own sampling rate. Channels are averaged; b-bit integers are divided by 2^(b-1).
/// `name` is used in error messages. Throws if the clip is corrupt, empty, truncated, not finite,
/// or exceeds the limits above. Memory use depends on the decoded data, not on sizes claimed by the
/// header.
Clip decode_audio(std::span<const uint8_t> bytes, const std::string& name);

/// decode_audio for a file. `name` is used in messages.
Clip read_audio(const std::filesystem::path& path, const std::string& name);

/// Encodes the clip as a WAV file with one channel of 16-bit PCM. Values are clipped to [-1, 1];
/// non-finite values become 0.
std::vector<uint8_t> encode_wav(const Clip& clip);

}  // namespace projnce::io
