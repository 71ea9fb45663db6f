#pragma once

#include <string>
#include <vector>

#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/resnet.h"
#include "projnce/kernel/conv/convolution.h"

namespace projnce::bench {

/// A convolution of an encoder.
struct ConvLayer {
  kernel::ConvGeometry geometry;
  int64_t height;  // of what it reads
  int64_t width;
  bool reads_images = false;  // the first one: nobody wants the gradient by its input

  /// Multiplications and additions, by the direct form, for one image.
  double macs() const;
  /// "stem", "3x3" (by Winograd), "3x3 strided", "1x1".
  std::string kind() const;
};

/// REQUIRES: a small stem.
std::vector<ConvLayer> conv_layers(const encoder::ResNetOptions& options);
std::vector<ConvLayer> conv_layers(const encoder::AudioCnnOptions& options);

/// Operations of one image's forward pass: 2 for each multiplication and addition of the direct
/// form. Training counts three times that: forward, gradient by the input, gradient by weights.
double forward_flops(const std::vector<ConvLayer>& layers);

}  // namespace projnce::bench
