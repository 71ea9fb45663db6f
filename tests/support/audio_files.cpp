#include "tests/support/audio_files.h"

#include <sndfile.h>

#include <algorithm>
#include <cstring>

namespace projnce::testing {

namespace {

void append_text(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

/// An in-memory file.
struct AudioSink {
  Bytes bytes;
  sf_count_t position = 0;
};

SF_VIRTUAL_IO sink_callbacks() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* data) {
    return static_cast<sf_count_t>(static_cast<AudioSink*>(data)->bytes.size());
  };
  io.seek = [](sf_count_t offset, int whence, void* data) {
    auto& sink = *static_cast<AudioSink*>(data);
    const auto size = static_cast<sf_count_t>(sink.bytes.size());
    sink.position = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? sink.position : size);
    return sink.position;
  };
  io.read = [](void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.write = [](const void* source, sf_count_t count, void* data) {
    auto& sink = *static_cast<AudioSink*>(data);
    const auto end = static_cast<size_t>(sink.position + count);
    sink.bytes.resize(std::max(sink.bytes.size(), end));
    std::memcpy(sink.bytes.data() + sink.position, source, static_cast<size_t>(count));
    sink.position += count;
    return count;
  };
  io.tell = [](void* data) { return static_cast<AudioSink*>(data)->position; };
  return io;
}

int packed_format(std::string_view name) {
  constexpr int kMpegLayer3 = 0x230000 | 0x0082;  // missing in older headers
  if (name == "flac") return SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
  return name == "ogg" ? SF_FORMAT_OGG | SF_FORMAT_VORBIS : kMpegLayer3;
}

}  // namespace

Bytes wav_header(int rate, int channels, int bits, uint32_t data_bytes, int coding) {
  const auto frame_bytes = static_cast<uint32_t>(channels * bits / 8);
  Bytes bytes = octets_of("RIFF");
  append_number(bytes, 36 + data_bytes, 4);
  append_text(bytes, "WAVEfmt ");
  append_number(bytes, 16, 4);
  append_number(bytes, static_cast<uint32_t>(coding), 2);
  append_number(bytes, static_cast<uint32_t>(channels), 2);
  append_number(bytes, static_cast<uint32_t>(rate), 4);
  append_number(bytes, static_cast<uint32_t>(rate) * frame_bytes, 4);
  append_number(bytes, frame_bytes, 2);
  append_number(bytes, static_cast<uint32_t>(bits), 2);
  append_text(bytes, "data");
  append_number(bytes, data_bytes, 4);
  return bytes;
}

Bytes encode_wav(int rate, const std::vector<int16_t>& samples, int channels) {
  auto bytes = wav_header(rate, channels, 16, static_cast<uint32_t>(2 * samples.size()));
  for (const int16_t sample : samples) append_number(bytes, static_cast<uint16_t>(sample), 2);
  return bytes;
}

Bytes encode_float_wav(int rate, const std::vector<float>& samples) {
  auto bytes = wav_header(rate, 1, 32, static_cast<uint32_t>(4 * samples.size()), 3);
  for (const float sample : samples) {
    uint32_t bits = 0;
    std::memcpy(&bits, &sample, sizeof(bits));
    append_number(bytes, bits, 4);
  }
  return bytes;
}

Bytes encode_packed_audio(std::string_view format, int rate, const std::vector<float>& samples) {
  AudioSink sink;
  auto callbacks = sink_callbacks();
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = 1;
  info.format = packed_format(format);
  SNDFILE* file = sf_open_virtual(&callbacks, SFM_WRITE, &info, &sink);
  if (file == nullptr) return {};
  sf_writef_float(file, samples.data(), static_cast<sf_count_t>(samples.size()));
  sf_close(file);
  return sink.bytes;
}

}  // namespace projnce::testing
