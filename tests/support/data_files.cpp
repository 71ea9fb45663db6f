#include "tests/support/data_files.h"

#include <turbojpeg.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace projnce::testing {

namespace {

void require(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(what);
}

}  // namespace

Image plain_image(int height, int width, const Bytes& color) {
  Image image{height, width, static_cast<int>(color.size()), {}};
  for (int i = 0; i < height * width; ++i) {
    image.pixels.insert(image.pixels.end(), color.begin(), color.end());
  }
  return image;
}

Image counting_image(int height, int width, int channels) {
  auto image = plain_image(height, width, Bytes(static_cast<size_t>(channels)));
  for (size_t i = 0; i < image.bytes(); ++i) image.pixels[i] = static_cast<uint8_t>(11 * i);
  return image;
}

Bytes encode_jpeg(const Image& image, const JpegStyle& style) {
  constexpr int kFormats[] = {TJPF_GRAY, -1, TJPF_RGB, TJPF_CMYK};
  constexpr int kSubsamplings[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411};
  const int colors = kSubsamplings[static_cast<int>(style.colors)];
  unsigned char* data = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  const int status = tjCompress2(encoder, image.pixels.data(), image.width, 0, image.height,
                                 kFormats[image.channels - 1], &data, &size,
                                 image.channels == 1 ? TJSAMP_GRAY : colors, 95,
                                 style.progressive ? TJFLAG_PROGRESSIVE : 0);
  tjDestroy(encoder);
  require(status == 0, "cannot encode a JPEG");
  Bytes bytes(data, data + size);
  tjFree(data);
  return bytes;
}

Bytes with_app1(const Bytes& jpeg, const Bytes& content) {
  const size_t length = content.size() + 2;
  Bytes bytes(jpeg.begin(), jpeg.begin() + 2);
  for (const size_t byte : {size_t{0xFF}, size_t{0xE1}, length >> 8, length & 0xFF}) {
    bytes.push_back(static_cast<uint8_t>(byte));
  }
  bytes.insert(bytes.end(), content.begin(), content.end());
  bytes.insert(bytes.end(), jpeg.begin() + 2, jpeg.end());
  return bytes;
}

Bytes exif_content(int orientation, bool high_byte_first) {
  const uint8_t order = high_byte_first ? 'M' : 'I';
  Bytes bytes = {'E', 'x', 'i', 'f', 0, 0, order, order};
  const auto add = [&](uint32_t number, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (high_byte_first ? size - 1 - i : i);
      bytes.push_back(static_cast<uint8_t>(number >> shift));
    }
  };
  add(42, 2);
  add(8, 4);  // offset of the directory
  add(2, 2);  // number of entries; each: tag, type, count, value
  for (const uint32_t tag : {0x0100U, 0x0112U}) {
    add(tag, 2);
    add(3, 2);
    add(1, 4);
    add(static_cast<uint32_t>(orientation), 2);
    add(0, 2);
  }
  add(0, 4);  // no further directory
  return bytes;
}

Bytes with_orientation(const Bytes& jpeg, int orientation) {
  return with_app1(jpeg, exif_content(orientation, true));
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

void append_number(Bytes& bytes, uint32_t number, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(number >> (8 * i)));
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

std::vector<BadCase> bad_cases(const std::filesystem::path& folder) {
  std::vector<BadCase> cases;
  std::ifstream manifest(folder / "MANIFEST.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    BadCase bad;
    std::getline(fields, bad.file, '\t');
    std::getline(fields, bad.expected, '\t');
    cases.push_back(bad);
  }
  return cases;
}

}  // namespace projnce::testing
