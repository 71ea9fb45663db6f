#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace projnce::encoder {

/// Who computes the convolutions of an encoder.
enum class Engine {
  kAuto,    ///< native where the processor has AVX2 or AVX-512, else torch
  kNative,  ///< own kernels: Winograd convolutions with batch-norm and ReLU inside
  kTorch,   ///< LibTorch's modules
};

/// Whether it is the native one here.
bool is_native(Engine engine);

/// "native engine (avx2)", or "LibTorch's convolutions" and why.
std::string describe_engine(Engine engine);

/// Images, spectrograms or vectors (1 x 1 pixels) in, one feature vector each out: [N, C, H, W]
/// -> [N, F].
class Encoder : public torch::nn::Module {
 public:
  /// [N, C, H, W] -> [N, F].
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  /// F.
  virtual int64_t feature_dim() const = 0;
  /// What was built, in a few words for the log: choices that were made by looking at the data.
  virtual std::string describe() const = 0;
};

/// Encoders are shared, as LibTorch's modules are.
using EncoderPtr = std::shared_ptr<Encoder>;

/// What the encoder will be fed with.
struct InputShape {
  int64_t channels = 3;  ///< 1 for gray images and spectrograms; the length of vectors
  int64_t height = 32;   ///< in pixels; bands of a spectrogram; 1 for vectors
  int64_t width = 32;    ///< in pixels; moments of a spectrogram; 1 for vectors
};

}  // namespace projnce::encoder
