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

/// A image of one color.
Image plain_image(int height, int width, const Bytes& color);

enum class Subsampling { k444, k422, k420, k440, k411 };

struct JpegStyle {
  Subsampling colors = Subsampling::k444;  ///< how many pixels share a color
  bool progressive = false;
};

using projnce::io::encode_png;
/// One channel makes a gray file, three YCbCr, four YCCK with Adobe's mark (255 is no ink).
Bytes encode_jpeg(const Image& image, const JpegStyle& style = {});
/// The JPEG with an EXIF segment that tells an orientation.
Bytes with_orientation(const Bytes& jpeg, int orientation);
/// The JPEG with an APP1 segment of this content.
Bytes with_app1(const Bytes& jpeg, const Bytes& content);
/// What such a segment holds: "Exif", a TIFF header and a directory with the orientation.
Bytes exif_content(int orientation, bool high_byte_first);
Bytes encode_idx(const std::vector<int64_t>& dims, const Bytes& values);
Bytes gzip(const Bytes& bytes);

Bytes octets_of(std::string_view text);
/// Appends the lowest `count` bytes of a number, the lowest first.
void append_number(Bytes& bytes, uint32_t number, int count);

/// Writes the file, and the folders above it.
void write_file(const std::filesystem::path& path, const Bytes& bytes);

/// A pack of damaged and hostile files, unpacked into `folder`; empty where this machine does not
/// have it.
std::filesystem::path unpack_bad_files(const std::filesystem::path& folder);

/// A line of the manifest of those files.
struct BadCase {
  std::string file;      ///< or folder
  std::string expected;  ///< ACCEPT, REJECT, SKIP-OR-REJECT or SAFE
};
std::vector<BadCase> bad_cases(const std::filesystem::path& folder);

}  // namespace projnce::testing
