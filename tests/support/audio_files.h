#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/support/data_files.h"

namespace projnce::testing {

/// Returns the 44-byte header of a WAV file with `data_bytes` of samples. `coding` is 1 for
/// integers, 3 for floating point.
Bytes wav_header(int rate, int channels, int bits, uint32_t data_bytes, int coding = 1);

/// A WAV of 16-bit samples; channels are interleaved.
Bytes encode_wav(int rate, const std::vector<int16_t>& samples, int channels = 1);

/// A WAV of 32-bit floating point.
Bytes encode_float_wav(int rate, const std::vector<float>& samples);

/// Encodes a mono clip with libsndfile as "flac", "ogg" or "mp3". Empty if the library lacks the
/// format.
Bytes encode_packed_audio(std::string_view format, int rate, const std::vector<float>& samples);

}  // namespace projnce::testing
