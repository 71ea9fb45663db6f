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
  int64_t height;  // of its input
  int64_t width;
  bool reads_images = false;  // first layer; needs no gradient of its input

  /// Multiply-adds of direct convolution for one image.
  double macs() const;
  /// "stem", "3x3" (Winograd), "3x3 strided" or "1x1".
  std::string kind() const;
};

/// REQUIRES: a small stem.
std::vector<ConvLayer> conv_layers(const encoder::ResNetOptions& options);
std::vector<ConvLayer> conv_layers(const encoder::AudioCnnOptions& options);

/// FLOPs of the forward pass of one image: 2 per multiply-add of direct convolution. A training
/// step counts three times that: forward, gradient of the input, gradient of the weights.
double forward_flops(const std::vector<ConvLayer>& layers);

}  // namespace projnce::bench
