#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <memory>
#include <string>

#include "projnce/encoder/encoder.h"

namespace projnce::encoder {

class NativeEngine;
struct BackboneSpec;

/// What the last layer's maps are averaged over.
enum class AudioPool {
  kGrid,    ///< each field of 4 bands x 4 moments: where in a spectrogram something is matters
  kGlobal,  ///< everything
};

/// What an AudioCnn is built from.
struct AudioCnnOptions {
  InputShape input;    ///< of the spectrograms: bands x moments
  int64_t width = 32;  ///< channels of the first layer; doubled in each of the two that follow
  AudioPool pool = AudioPool::kGrid;  ///< at its end
  Engine engine = Engine::kAuto;      ///< who computes
};

/// Three layers for spectrograms: 3x3 convolution, batch-norm, ReLU, 2x2 max-pooling each; averages
/// at the end: F = 4 * width of them, 16 times as many with a grid.
class AudioCnn : public Encoder {
 public:
  explicit AudioCnn(const AudioCnnOptions& options);
  ~AudioCnn() override;
  torch::Tensor forward(const torch::Tensor& images) override;
  int64_t feature_dim() const override { return feature_dim_; }
  std::string describe() const override;
  /// Fields along each side of the grid that the last maps are averaged over; 1: one average.
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
