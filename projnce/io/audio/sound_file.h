#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

/// Longer sounds are refused: ten minutes at 48 kHz, which take 110 MiB.
inline constexpr int64_t kMaxSoundSamples = int64_t{10} * 60 * 48'000;
inline constexpr int kMinSoundRate = 100;
inline constexpr int kMaxSoundRate = 768'000;
inline constexpr int kMaxSoundChannels = 64;
/// Sounds are about -1 to 1; a value beyond this is not a sound but a damaged or mistaken file.
inline constexpr float kMaxSoundValue = 1e6F;

/// How the names of sound files end, in lower case. What a file is, its content says.
const std::vector<std::string>& sound_extensions();

/// Decodes a sound (WAV, FLAC, OGG, MP3 where the system's libsndfile has it; told apart by
/// content) at its own rate, its channels mixed to their mean. Integers of b bits are divided by
/// 2^(b-1). `name` is for error messages. Throws where the sound is damaged, empty, cut short, not
/// finite or beyond the limits above. Memory is taken for what was decoded, not for what a header
/// promises.
Clip decode_sound(std::span<const uint8_t> bytes, const std::string& name);

/// decode_sound of a file. `name` is what messages call it.
Clip read_sound(const std::filesystem::path& path, const std::string& name);

/// The clip as a WAV file: one channel of 16-bit PCM. Values beyond -1 to 1 are clipped, values
/// that are not finite become 0.
std::vector<uint8_t> encode_wav(const Clip& clip);

}  // namespace projnce::io
