#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/sample.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/image/orientation.h"

namespace projnce::io {

namespace {

/// A JPEG file in memory. Errors and warnings of libjpeg, even recoverable ones, are thrown as
/// Errors that name the file.
class JpegReader {
 public:
  /// Reads the header. REQUIRES: `bytes` and `name` outlive the reader.
  JpegReader(std::span<const uint8_t> bytes, const std::string& name);
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader();

  int height() const { return static_cast<int>(state_.image_height); }
  int width() const { return static_cast<int>(state_.image_width); }
  /// 1 (gray), 3 (RGB) or 4 (CMYK)
  int components() const { return state_.out_color_components; }
  /// Whether CMYK values are inverted, as Adobe writes them.
  bool inverted_ink() const { return state_.saw_Adobe_marker; }
  /// EXIF orientation, 1 to 8.
  int orientation() const { return orientation_; }

  /// Reads a box of pixels into `out`, which has its size. Each pixel covers `reduction` x
  /// `reduction` (1, 2, 4 or 8) pixels of the file; `box` is in units of such pixels. Without
  /// reduction, the pixels equal those of the full image. May be called once.
  void read(const PixelBox& box, int reduction, std::span<uint8_t> out);

 private:
  struct ErrorState {
    jpeg_error_mgr manager;  // must be first: libjpeg passes its address to the callbacks
    std::jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
  };

  static void exit_on_error(j_common_ptr state);
  static void handle_message(j_common_ptr state, int level);
  static void limit_scans(j_common_ptr state);

  template <class Work>
  void catch_errors(const Work& work);
  void read_header();
  void choose_colors();
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

constexpr int kApp1 = JPEG_APP0 + 1;

constexpr unsigned kMaxSegmentBytes = 0xFFFF;

/// Limits on the scans of progressive files, which can pass over all pixels in a few bytes: the
/// number of scans, and the sum of the pixels of all scans. Encoders write at most about twenty.
constexpr int kMaxScans = 500;
constexpr int64_t kMaxScannedPixels = 32 * kMaxImagePixels;

// libjpeg reports an error by a callback that must not return, so it jumps back here. `work` runs
// between setjmp and longjmp and must not create objects with destructors.
template <class Work>
void JpegReader::catch_errors(const Work& work) {
  if (setjmp(errors_.escape) != 0) fail(name_, " is a corrupt JPEG: ", errors_.message);
  work();
}

void JpegReader::exit_on_error(j_common_ptr state) {
  auto* errors = reinterpret_cast<ErrorState*>(state->err);
  errors->manager.format_message(state, errors->message);
  std::longjmp(errors->escape, 1);
}

// Treats warnings, such as a truncated file, as errors: libjpeg would guess the missing pixels.
void JpegReader::handle_message(j_common_ptr state, int level) {
  if (level < 0) exit_on_error(state);
}

void JpegReader::limit_scans(j_common_ptr state) {
  if (!state->is_decompressor) return;
  const auto* file = reinterpret_cast<j_decompress_ptr>(state);
  const int64_t pixels = int64_t{file->image_width} * file->image_height;
  const auto most = static_cast<int>(std::min<int64_t>(kMaxScans, kMaxScannedPixels / pixels));
  if (file->input_scan_number <= most) return;
  auto* errors = reinterpret_cast<ErrorState*>(state->err);
  std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", most);
  std::longjmp(errors->escape, 1);
}

JpegReader::JpegReader(std::span<const uint8_t> bytes, const std::string& name)
    : bytes_(bytes), name_(name), errors_{}, progress_{}, state_{} {
  state_.err = jpeg_std_error(&errors_.manager);
  errors_.manager.error_exit = exit_on_error;
  errors_.manager.emit_message = handle_message;
  progress_.progress_monitor = limit_scans;
  try {
    read_header();
    choose_colors();
  } catch (...) {
    jpeg_destroy_decompress(&state_);
    throw;
  }
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&state_);
}

void JpegReader::read_header() {
  catch_errors([this] {
    jpeg_create_decompress(&state_);
    state_.progress = &progress_;
    jpeg_save_markers(&state_, kApp1, kMaxSegmentBytes);
    jpeg_mem_src(&state_, bytes_.data(), bytes_.size());
    jpeg_read_header(&state_, TRUE);
  });
  for (const auto* segment = state_.marker_list; segment; segment = segment->next) {
    orientation_ = exif_orientation({segment->data, segment->data_length});
    if (orientation_ != 1) break;
  }
}

void JpegReader::choose_colors() {
  switch (state_.jpeg_color_space) {
    case JCS_GRAYSCALE:
      state_.out_color_space = JCS_GRAYSCALE;
      state_.out_color_components = 1;
      return;
    case JCS_RGB:
    case JCS_YCbCr:
      state_.out_color_space = JCS_RGB;
      state_.out_color_components = 3;
      return;
    case JCS_CMYK:
    case JCS_YCCK:
      state_.out_color_space = JCS_CMYK;
      state_.out_color_components = 4;
      return;
    default:
      fail(Hint{"convert the image to RGB"}, name_, " is a JPEG with ",
           counted(state_.num_components, "component"), ", expected gray, RGB or CMYK");
  }
}

void JpegReader::start(int reduction) {
  state_.scale_num = 1;
  state_.scale_denom = static_cast<unsigned>(reduction);
  state_.dct_method = JDCT_ISLOW;  // accurate; the fast method saves only 5 % of the time
  jpeg_start_decompress(&state_);
}

/// Skips columns outside the box if the file format allows it; returns the first remaining column.
/// Upsampling at the edges lacks neighboring pixels, hence a margin.
int JpegReader::narrow_to(const PixelBox& box) {
  const int margin = state_.max_h_samp_factor * state_.min_DCT_scaled_size;
  const int left = std::max(0, box.left - margin);
  const int right = std::min(static_cast<int>(state_.output_width), box.left + box.width + margin);
  auto first = static_cast<JDIMENSION>(left);
  auto count = static_cast<JDIMENSION>(right - left);
  if (count == state_.output_width) return 0;
  jpeg_crop_scanline(&state_, &first, &count);
  return static_cast<int>(first);
}

void JpegReader::skip_to(int row) {
  const int margin = state_.max_v_samp_factor * state_.min_DCT_scaled_size;
  if (row > margin) jpeg_skip_scanlines(&state_, static_cast<JDIMENSION>(row - margin));
}

void JpegReader::read_rows(const PixelBox& box, int first_column, std::span<uint8_t> out) {
  const auto components = static_cast<size_t>(state_.output_components);
  const size_t skipped = static_cast<size_t>(box.left - first_column) * components;
  const size_t wanted = static_cast<size_t>(box.width) * components;
  JSAMPROW row = row_.data();
  const auto end = static_cast<JDIMENSION>(box.top + box.height);
  while (state_.output_scanline < end) {
    const int y = static_cast<int>(state_.output_scanline) - box.top;
    jpeg_read_scanlines(&state_, &row, 1);
    if (y >= 0) std::copy_n(row + skipped, wanted, out.data() + static_cast<size_t>(y) * wanted);
  }
}

void JpegReader::read(const PixelBox& box, int reduction, std::span<uint8_t> out) {
  row_.resize(static_cast<size_t>(width()) * static_cast<size_t>(components()));
  catch_errors([&] {
    start(reduction);
    // Multi-scan files are already in memory completely; arithmetic coding is rare.
    const bool in_one_pass = !jpeg_has_multiple_scans(&state_) && !state_.arith_code;
    const int first_column = in_one_pass ? narrow_to(box) : 0;
    if (in_one_pass) skip_to(box.top);
    read_rows(box, first_column, out);
    // Data after the last row is checked only if that row was read.
    if (state_.output_scanline == state_.output_height) jpeg_finish_decompress(&state_);
  });
}

/// A block of 8 x 8 gray pixels takes at least one Huffman code of one bit; doubled for safety.
constexpr double kJpegPixelsPerByte = 1024;

/// libjpeg supports other factors as well, but they are slower than decoding the full size.
constexpr std::array kReductions = {8, 4, 2, 1};

int largest_reduction(double allowed) {
  return *std::find_if(kReductions.begin(), kReductions.end() - 1,
                       [&](int reduction) { return reduction <= allowed; });
}

/// Clips the box to an image of this size; at least one pixel remains.
PixelBox clip_box(const PixelBox& box, int height, int width) {
  const int top = std::clamp(box.top, 0, height - 1);
  const int left = std::clamp(box.left, 0, width - 1);
  return {top, left, std::clamp(box.top + box.height, top + 1, height) - top,
          std::clamp(box.left + box.width, left + 1, width) - left};
}

/// Box of the reduced image that covers a box of the full one.
PixelBox reduce_box(const PixelBox& box, int reduction) {
  const int top = box.top / reduction;
  const int left = box.left / reduction;
  const auto last = [&](int end) { return (end + reduction - 1) / reduction; };
  return {top, left, last(box.top + box.height) - top, last(box.left + box.width) - left};
}

PixelBox enlarge_box(const PixelBox& box, int reduction) {
  return {box.top * reduction, box.left * reduction, box.height * reduction, box.width * reduction};
}

/// Converts CMYK to RGB in place: each channel is the product of its ink and black.
void cmyk_to_rgb_inplace(Image& image, bool inverted) {
  const size_t count = image.pixels.size() / 4;
  const int flip = inverted ? 0 : 255;
  const uint8_t* ink = image.pixels.data();
  uint8_t* rgb = image.pixels.data();
  for (size_t i = 0; i < count; ++i, ink += 4, rgb += 3) {
    const int black = ink[3] ^ flip;
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<uint8_t>(((ink[c] ^ flip) * black + 127) / 255);
    }
  }
  image.channels = 3;
  image.pixels.resize(3 * count);
}

DecodeRegion required_region(const RequiredRegion& required, const Orientation& orientation,
                             const JpegReader& reader) {
  const auto [height, width] = orientation.swaps_axes()
                                   ? std::pair{reader.width(), reader.height()}
                                   : std::pair{reader.height(), reader.width()};
  return required ? required(height, width) : DecodeRegion{{0, 0, height, width}};
}

}  // namespace

Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name,
                  const RequiredRegion& required) {
  JpegReader reader(bytes, name);
  const int height = reader.height();
  const int width = reader.width();
  check_image_header({width, height, kJpegPixelsPerByte}, bytes.size(), name);

  const Orientation orientation(reader.orientation());
  const auto region = required_region(required, orientation, reader);
  const int reduction = largest_reduction(region.reduction);
  const auto file_box = clip_box(orientation.to_file(region.box, height, width), height, width);
  const auto box = reduce_box(file_box, reduction);
  auto image = blank_image(box.height, box.width, reader.components());
  if (reduction > 1 || box != PixelBox{0, 0, height, width}) {
    image.window = ImageWindow{height, width, enlarge_box(box, reduction), reduction};
  }
  reader.read(box, reduction, image.pixels);
  if (image.channels == 4) cmyk_to_rgb_inplace(image, reader.inverted_ink());
  return orientation.apply(std::move(image));
}

}  // namespace projnce::io
