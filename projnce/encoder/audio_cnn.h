#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <memory>
#include <string>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

class NativeEngine;
struct BackboneSpec;

/// Pooling of the last layer's feature maps.
enum class AudioPool {
  kGrid,    ///< average pooling to a grid of 4 x 4 cells, which keeps coarse positions
  kGlobal,  ///< global average pooling
};

/// Options of AudioCnn.
struct AudioCnnOptions {
  InputShape input;                   ///< spectrogram size: mel bands x frames
  int64_t width = 32;                 ///< channels of the first layer; doubled in each later layer
  AudioPool pool = AudioPool::kGrid;  ///< final pooling
  Engine engine = Engine::kAuto;      ///< implementation of the convolutions
};

/// CNN for spectrograms: three layers of 3x3 convolution, batch-norm, ReLU and 2x2 max-pooling,
/// followed by average pooling. F = 4 * width, times 16 with AudioPool::kGrid.
class AudioCnn : public Encoder {
 public:
  explicit AudioCnn(const AudioCnnOptions& options);
  ~AudioCnn() override;
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;
  /// Number of cells per side of the pooling grid; 1 = global average pooling.
  int64_t grid() const { return grid_; }

 private:
  BackboneSpec plan() const;

  int64_t grid_;
  int64_t feature_dim_;
  Engine engine_;
  torch::nn::Sequential layers_;
  std::unique_ptr<NativeEngine> native_;
};

}  // namespace projnce::encoder
