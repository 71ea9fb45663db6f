#pragma once

#include <cstddef>
#include <vector>

#include "projnce/augment/audio/mel_options.h"
#include "projnce/augment/pixel_ops.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

enum class PixelOrder {
  kPlanar,        ///< C, H, W
  kChannelsLast,  ///< H, W, C
};

/// Input format of the model: square images, each channel standardized to (x - mean) / std on the
/// scale 0..1.
struct ViewFormat {
  int channels = 3;     ///< 1 or 3; gray images are repeated, color images are converted to gray
  int image_size = 32;  ///< height and width
  std::vector<double> mean = {};  ///< one value per channel
  std::vector<double> std = {};   ///< one value per channel, above 0
  PixelOrder order = PixelOrder::kChannelsLast;

  size_t values() const {
    return static_cast<size_t>(channels) * static_cast<size_t>(image_size) *
           static_cast<size_t>(image_size);
  }
};

/// Throws unless the number of channels is 1 or 3.
void check_channels(int channels);
/// Throws if a field is invalid, naming it.
void check_view_format(const ViewFormat& format);

/// Writes images with one or three channels to a batch: standardized, with the memory layout and
/// number of channels of the format.
class ViewWriter {
 public:
  explicit ViewWriter(const ViewFormat& format);

  const ViewFormat& format() const { return format_; }

  /// Converts `image` to gray if the format has one channel.
  void reduce_channels(FloatImage& image) const;

  /// REQUIRES: `out` has space for format().values(); reduce_channels(image) was called.
  void write(const FloatImage& image, float* out) const;

 private:
  ViewFormat format_;
  std::vector<float> scale_;
  std::vector<float> shift_;
};

/// Input format of the model for samples of any kind: images according to `image`; log-mel
/// spectrograms of audio clips and vectors, both standardized to (x - mean) / std.
struct InputFormat {
  SampleKind kind = SampleKind::kImage;
  ViewFormat image = {};  ///< kImage
  MelOptions mel = {};    ///< kAudio
  int vector_size = 0;    ///< kVector: dimension
  double mean = 0;        ///< kAudio, kVector: over all values
  double std = 1;         ///< above 0

  static InputFormat images(const ViewFormat& format) { return {.image = format}; }

  int channels() const;
  int height() const;
  int width() const;
  size_t values() const {
    return static_cast<size_t>(channels()) * static_cast<size_t>(height()) *
           static_cast<size_t>(width());
  }
};

/// Throws if a field is invalid, naming it.
void check_input_format(const InputFormat& format);

}  // namespace projnce::augment
