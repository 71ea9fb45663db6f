#include "projnce/io/jpeg_reader.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/io/exif.h"

namespace projnce {

namespace {

constexpr int kApp1 = JPEG_APP0 + 1;
constexpr unsigned kLongestSegment = 0xFFFF;
/// Progressive files with thousands of scans would keep the decoder busy for hours.
constexpr int kMostScans = 500;

}  // namespace

// libjpeg reports an error by a call that must not return. This is the one place that jumps out of
// it: what `work` does lies between setjmp and longjmp, so it may hold nothing with a destructor.
template <class Work>
void JpegReader::guarded(const Work& work) {
  if (setjmp(errors_.escape) != 0) fail(name_, " is a damaged JPEG: ", errors_.message);
  work();
}

void JpegReader::leave(j_common_ptr state) {
  auto* errors = reinterpret_cast<ErrorState*>(state->err);
  errors->manager.format_message(state, errors->message);
  std::longjmp(errors->escape, 1);
}

// A warning, such as a file that ends early, is an error as well: the rest would be guessed.
void JpegReader::notice(j_common_ptr state, int level) {
  if (level < 0) leave(state);
}

void JpegReader::limit_scans(j_common_ptr state) {
  if (!state->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(state)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<ErrorState*>(state->err);
  std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", kMostScans);
  std::longjmp(errors->escape, 1);
}

JpegReader::JpegReader(std::span<const uint8_t> bytes, const std::string& name)
    : bytes_(bytes), name_(name), errors_{}, progress_{}, state_{} {
  state_.err = jpeg_std_error(&errors_.manager);
  errors_.manager.error_exit = leave;
  errors_.manager.emit_message = notice;
  progress_.progress_monitor = limit_scans;
  try {
    read_header();
    choose_colours();
  } catch (...) {
    jpeg_destroy_decompress(&state_);
    throw;
  }
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&state_);
}

void JpegReader::read_header() {
  guarded([this] {
    jpeg_create_decompress(&state_);
    state_.progress = &progress_;
    jpeg_save_markers(&state_, kApp1, kLongestSegment);
    jpeg_mem_src(&state_, bytes_.data(), bytes_.size());
    jpeg_read_header(&state_, TRUE);
  });
  for (const auto* segment = state_.marker_list; segment; segment = segment->next) {
    orientation_ = exif_orientation({segment->data, segment->data_length});
    if (orientation_ != 1) break;
  }
}

void JpegReader::choose_colours() {
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
      fail(Hint{"convert the picture to RGB"}, name_, " is a JPEG of ", state_.num_components,
           " components, expected grey, RGB or CMYK");
  }
}

void JpegReader::start(int reduction) {
  state_.scale_num = 1;
  state_.scale_denom = static_cast<unsigned>(reduction);
  state_.dct_method = JDCT_ISLOW;  // exact; the fast one saves 5 % of the time
  jpeg_start_decompress(&state_);
}

/// Leaves out columns where the file's order allows it; returns the first column that is left. The
/// pixels at its edges are smoothed without their neighbours, hence a margin.
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
  guarded([&] {
    start(reduction);
    // Files in several scans are in memory as a whole by now; arithmetic coding is rare.
    const bool in_one_pass = !jpeg_has_multiple_scans(&state_) && !state_.arith_code;
    const int first_column = in_one_pass ? narrow_to(box) : 0;
    if (in_one_pass) skip_to(box.top);
    read_rows(box, first_column, out);
    // What comes after the last row is read only by who reads that row.
    if (state_.output_scanline == state_.output_height) jpeg_finish_decompress(&state_);
  });
}

}  // namespace projnce
