#include "tests/support/data_files.h"

#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace projnce::testing {

namespace {

void require(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(what);
}

}  // namespace

Image plain_image(int height, int width, const Bytes& colour) {
  Image image{height, width, static_cast<int>(colour.size()), {}};
  for (int i = 0; i < height * width; ++i) {
    image.pixels.insert(image.pixels.end(), colour.begin(), colour.end());
  }
  return image;
}

Bytes encode_png(const Image& image) {
  constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                      PNG_FORMAT_RGBA};
  png_image state{};
  state.version = PNG_IMAGE_VERSION;
  state.width = static_cast<png_uint_32>(image.width);
  state.height = static_cast<png_uint_32>(image.height);
  state.format = kFormats[image.channels - 1];
  Bytes bytes(image.pixels.size() + 10000);
  png_alloc_size_t size = bytes.size();
  require(png_image_write_to_memory(&state, bytes.data(), &size, 0, image.pixels.data(), 0,
                                    nullptr) != 0,
          "cannot encode a PNG");
  bytes.resize(size);
  return bytes;
}

Bytes encode_jpeg(const Image& image) {
  const bool grey = image.channels == 1;
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  const int status = tjCompress2(encoder, image.pixels.data(), image.width, 0, image.height,
                                 grey ? TJPF_GRAY : TJPF_RGB, &data, &size,
                                 grey ? TJSAMP_GRAY : TJSAMP_444, 95, 0);
  tjDestroy(encoder);
  require(status == 0, "cannot encode a JPEG");
  Bytes bytes(data, data + size);
  tjFree(data);
  return bytes;
}

Bytes encode_idx(const std::vector<int64_t>& dims, const Bytes& values) {
  Bytes bytes = {0, 0, 8, static_cast<uint8_t>(dims.size())};
  for (const int64_t dim : dims) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<uint8_t>(dim >> shift));
  }
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

Bytes gzip(const Bytes& bytes) {
  z_stream stream{};
  require(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "cannot start zlib");
  Bytes packed(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(status == Z_STREAM_END, "cannot pack");
  return packed;
}

Bytes octets_of(std::string_view text) {
  return {text.begin(), text.end()};
}

void write_file(const std::filesystem::path& path, const Bytes& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  require(file.good(), "cannot write a test file");
}

std::filesystem::path unpack_bad_files(const std::filesystem::path& folder) {
  const std::filesystem::path archive = "../../shared/data/bad/bad.tar.gz";
  if (!std::filesystem::exists(archive)) return {};
  const auto command = "tar xzf " + archive.string() + " -C " + folder.string();
  require(std::system(command.c_str()) == 0, "cannot unpack the bad files");
  return folder / "bad";
}

}  // namespace projnce::testing
