#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce {

/// How the names of sound files end, in lower case. What a file is, its content says.
const std::vector<std::string>& sound_extensions();

/// Decodes a sound (WAV, FLAC, OGG, MP3 where the system's libsndfile has it) at its own rate, its
/// channels mixed to one. `name` is for error messages. Throws where the sound is damaged, empty,
/// not finite, or longer than its bytes can hold.
Clip decode_sound(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce
