#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/io/image/image_writer.h"

namespace projnce::testing {

using Bytes = std::vector<uint8_t>;

/// An image of one color.
Image plain_image(int height, int width, const Bytes& color);

/// An image with increasing pixel values, so that swapped axes or channels are detected.
Image counting_image(int height, int width, int channels);

enum class Subsampling { k444, k422, k420, k440, k411 };

struct JpegStyle {
  Subsampling colors = Subsampling::k444;  ///< chroma subsampling
  bool progressive = false;
};

using projnce::io::encode_png;
/// Encodes a JPEG: one channel gives grayscale, three YCbCr, four YCCK with an Adobe marker (255 is
/// no ink).
Bytes encode_jpeg(const Image& image, const JpegStyle& style = {});
/// Adds an EXIF segment with an orientation to a JPEG.
Bytes with_orientation(const Bytes& jpeg, int orientation);
/// Adds an APP1 segment with this content to a JPEG.
Bytes with_app1(const Bytes& jpeg, const Bytes& content);
/// Content of an EXIF segment: "Exif", a TIFF header and a directory with the orientation.
Bytes exif_content(int orientation, bool high_byte_first);
Bytes encode_idx(const std::vector<int64_t>& dims, const Bytes& values);
Bytes gzip(const Bytes& bytes);

Bytes octets_of(std::string_view text);
/// Appends the lowest `count` bytes of a number in little-endian order.
void append_number(Bytes& bytes, uint32_t number, int count);

/// Writes a file and creates its parent folders.
void write_file(const std::filesystem::path& path, const Bytes& bytes);

/// Unpacks a collection of corrupt and hostile files into `folder`; empty if it is not available.
std::filesystem::path unpack_bad_files(const std::filesystem::path& folder);

/// A line of the manifest of the collection.
struct BadCase {
  std::string file;      ///< or folder
  std::string expected;  ///< ACCEPT, REJECT, SKIP-OR-REJECT or SAFE
};
std::vector<BadCase> bad_cases(const std::filesystem::path& folder);

}  // namespace projnce::testing
