#include "bench/training/layer_list.h"

namespace projnce::bench {

double ConvLayer::macs() const {
  return static_cast<double>(geometry.out_side(height) * geometry.out_side(width)) *
         static_cast<double>(geometry.weights());
}

std::string ConvLayer::kind() const {
  if (reads_images) return "stem";
  if (geometry.kernel == 1) return "1x1";
  return geometry.stride == 1 ? "3x3" : "3x3 strided";
}

std::vector<ConvLayer> conv_layers(const encoder::ResNetOptions& options) {
  int64_t height = options.input.height;
  int64_t width = options.input.width;
  std::vector<ConvLayer> layers;
  const auto add = [&](const kernel::ConvGeometry& geometry) {
    layers.push_back({geometry, height, width, layers.empty()});
  };
  const auto shrink = [&](const kernel::ConvGeometry& geometry) {
    height = geometry.out_side(height);
    width = geometry.out_side(width);
  };
  int64_t channels = options.widths.front();
  const kernel::ConvGeometry stem{options.input.channels, channels, 3, options.small_stem_stride};
  add(stem);
  shrink(stem);
  for (size_t stage = 0; stage < options.widths.size(); ++stage) {
    const int64_t out = options.widths[stage];
    for (int64_t block = 0; block < options.blocks_per_stage; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      const kernel::ConvGeometry first{channels, out, 3, stride};
      add(first);
      if (stride != 1 || channels != out) add({channels, out, 1, stride});
      shrink(first);
      add({out, out, 3, 1});
      channels = out;
    }
  }
  return layers;
}

std::vector<ConvLayer> conv_layers(const encoder::AudioCnnOptions& options) {
  std::vector<ConvLayer> layers;
  int64_t height = options.input.height;
  int64_t width = options.input.width;
  int64_t channels = options.input.channels;
  for (int64_t out = options.width; out <= 4 * options.width; out *= 2) {
    layers.push_back({{channels, out, 3, 1}, height, width, layers.empty()});
    channels = out;
    height /= 2;
    width /= 2;
  }
  return layers;
}

double forward_flops(const std::vector<ConvLayer>& layers) {
  double macs = 0;
  for (const auto& layer : layers) macs += layer.macs();
  return 2 * macs;
}

}  // namespace projnce::bench
