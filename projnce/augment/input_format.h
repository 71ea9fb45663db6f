#pragma once

#include <cstddef>
#include <vector>

#include "projnce/augment/pixel_ops.h"
#include "projnce/augment/sound/mel_options.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

enum class PixelOrder {
  kPlanar,        ///< C, H, W
  kChannelsLast,  ///< H, W, C
};

/// What the model takes: square images, each channel standardized to (x - mean) / std on the
/// 0..1 scale.
struct ViewFormat {
  int channels = 3;               ///< 1 or 3; gray images are repeated, colors are mixed to gray
  int image_size = 32;            ///< height and width
  std::vector<double> mean = {};  ///< one value per channel
  std::vector<double> std = {};   ///< one value per channel, above 0
  PixelOrder order = PixelOrder::kChannelsLast;

  size_t values() const {
    return static_cast<size_t>(channels) * static_cast<size_t>(image_size) *
           static_cast<size_t>(image_size);
  }
};

/// Throws where a model takes neither one nor three channels.
void check_channels(int channels);
/// Throws where a value of the format makes no sense, naming it.
void check_view_format(const ViewFormat& format);

/// Writes finished images of one or three channels into a batch: standardized, in the order and
/// with the channels that the format asks for.
class ViewWriter {
 public:
  explicit ViewWriter(const ViewFormat& format);

  const ViewFormat& format() const { return format_; }

  /// Leaves `image` with no more channels than the format has.
  void reduce_channels(FloatImage& image) const;

  /// REQUIRES: `out` has room for format().values(); reduce_channels(image) was called.
  void write(const FloatImage& image, float* out) const;

 private:
  ViewFormat format_;
  std::vector<float> scale_;
  std::vector<float> shift_;
};

/// What the model takes, for samples of any kind: images as `image` says; sounds as log-mel
/// spectrograms and vectors as they are, both standardized to (x - mean) / std.
struct InputFormat {
  SampleKind kind = SampleKind::kImage;
  ViewFormat image = {};  ///< kImage
  MelOptions mel = {};    ///< kSound
  int vector_size = 0;    ///< kVector: numbers in each
  double mean = 0;        ///< kSound, kVector: over all numbers
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

/// Throws where a value of the format makes no sense, naming it.
void check_input_format(const InputFormat& format);

}  // namespace projnce::augment
