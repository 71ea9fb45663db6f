#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // jpeglib.h needs it first

#include <jpeglib.h>

#include <span>
#include <string>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// One JPEG file in memory, as libjpeg sees it. Whatever libjpeg complains of, also where it could
/// have guessed the rest, throws an Error that names the file.
class JpegReader {
 public:
  /// Reads the header. REQUIRES: `bytes` and `name` live as long as the reader.
  JpegReader(std::span<const uint8_t> bytes, const std::string& name);
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader();

  int height() const { return static_cast<int>(state_.image_height); }
  int width() const { return static_cast<int>(state_.image_width); }
  /// 1 (grey), 3 (red green blue) or 4 (cyan magenta yellow black)
  int components() const { return state_.out_color_components; }
  /// Whether the four components say how much ink is missing, as Adobe writes them.
  bool inverted_ink() const { return state_.saw_Adobe_marker; }
  /// EXIF's, 1 to 8.
  int orientation() const { return orientation_; }

  /// Reads a box of pixels, `out` being of its size; each stands for `reduction` x `reduction` (1,
  /// 2, 4 or 8) of the file. `box` counts in such pixels. Without a reduction they are exactly
  /// those of the whole picture. May be called once.
  void read(const PixelBox& box, int reduction, std::span<uint8_t> out);

 private:
  struct ErrorState {
    jpeg_error_mgr manager;  // first, since libjpeg hands its address back
    std::jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
  };

  static void leave(j_common_ptr state);
  static void notice(j_common_ptr state, int level);
  static void limit_scans(j_common_ptr state);

  template <class Work>
  void guarded(const Work& work);
  void read_header();
  void choose_colours();
  void start(int reduction);
  int narrow_to(const PixelBox& box);
  void skip_to(int row);
  void read_rows(const PixelBox& box, int first_column, std::span<uint8_t> out);

  std::span<const uint8_t> bytes_;
  const std::string& name_;
  ErrorState errors_;
  jpeg_progress_mgr progress_;
  jpeg_decompress_struct state_;
  int orientation_ = 1;
  std::vector<uint8_t> row_;
};

}  // namespace projnce
