#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace projnce::augment {

/// Working image of the transforms: one plane of floats in 0..1 per channel, rows from top to
/// bottom. Buffers only grow, so reusing an image does not allocate.
class FloatImage {
 public:
  /// Leaves the pixels unspecified.
  void reshape(int channels, int height, int width) {
    channels_ = channels;
    height_ = height;
    width_ = width;
    const size_t needed = static_cast<size_t>(channels) * plane_size();
    if (values_.size() < needed) values_.resize(needed);
  }

  /// Keeps only the first plane.
  void drop_color() { channels_ = 1; }

  int channels() const { return channels_; }
  int height() const { return height_; }
  int width() const { return width_; }
  size_t plane_size() const { return static_cast<size_t>(height_) * static_cast<size_t>(width_); }

  float* plane(int channel) { return values_.data() + static_cast<size_t>(channel) * plane_size(); }
  const float* plane(int channel) const {
    return values_.data() + static_cast<size_t>(channel) * plane_size();
  }

 private:
  int channels_ = 0;
  int height_ = 0;
  int width_ = 0;
  std::vector<float> values_;
};

// In-place color operations of SupCon's augmentation on values in 0..1, with
// gray = 0.299 R + 0.587 G + 0.114 B. For single-channel images, saturation, hue and grayscale are
// no-ops.

/// All channels <- gray.
void make_grayscale(FloatImage& image);
/// x <- clip(factor * x)
void adjust_brightness(FloatImage& image, double factor);
/// x <- clip(factor * x + (1 - factor) * mean(gray))
void adjust_contrast(FloatImage& image, double factor);
/// x <- clip(factor * x + (1 - factor) * gray)
void adjust_saturation(FloatImage& image, double factor);
/// Adds `turns` (any number) to the hue, which ranges from 0 to 1 around the color circle.
void shift_hue(FloatImage& image, double turns);

/// Replaces three channels by the gray one.
void reduce_to_gray(FloatImage& image);

std::vector<std::string> pixel_op_names();
/// Applies the operation called `name`; throws with a list of the known names if it is unknown.
void apply_pixel_op(const std::string& name, double factor, FloatImage& image);

}  // namespace projnce::augment
