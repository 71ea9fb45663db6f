#include "projnce/io/wav_writer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "projnce/io/protobuf.h"

namespace projnce {

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

}  // namespace projnce
