#pragma once

#include <cstddef>
#include <vector>

namespace projnce {

/// The picture that transforms work on: one plane of floats in 0..1 per channel, rows from the top.
/// Buffers only grow, so that an image which is used again allocates nothing.
class FloatImage {
 public:
  /// The pixels are undefined afterwards.
  void reshape(int channels, int height, int width) {
    channels_ = channels;
    height_ = height;
    width_ = width;
    const size_t needed = static_cast<size_t>(channels) * plane_size();
    if (values_.size() < needed) values_.resize(needed);
  }

  /// Keeps the first plane alone.
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

}  // namespace projnce
