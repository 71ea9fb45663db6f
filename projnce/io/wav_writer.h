#pragma once

#include <cstdint>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce {

/// The clip as a WAV file: one channel of 16-bit PCM. Values beyond -1 to 1 are clipped, values
/// that are not finite become 0.
std::vector<uint8_t> encode_wav(const Clip& clip);

}  // namespace projnce
