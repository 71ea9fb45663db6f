#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace projnce::encoder {

/// Implementation of an encoder's convolutions.
enum class Engine {
  kAuto,    ///< kNative if the CPU has AVX2 or AVX-512, otherwise kTorch
  kNative,  ///< projnce's kernels: Winograd convolutions with fused batch-norm and ReLU
  kTorch,   ///< LibTorch's modules
};

/// Returns true if `engine` resolves to the native engine on this CPU.
bool is_native(Engine engine);

/// Returns "native engine (avx2)", or "LibTorch's convolutions" and the reason.
std::string describe_engine(Engine engine);

/// Maps each image, spectrogram or feature vector (1 x 1 pixels) to a feature vector: [N, C, H, W]
/// -> [N, F].
class Encoder : public torch::nn::Module {
 public:
  /// [N, C, H, W] -> [N, F].
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  /// F.
  virtual int64_t feature_dim() const = 0;
  /// Short description for the log, including choices that depend on the data.
  virtual std::string describe() const = 0;
};

/// Shared ownership, as for all LibTorch modules.
using EncoderPtr = std::shared_ptr<Encoder>;

/// Shape of the encoder's inputs.
struct InputShape {
  int64_t channels = 3;  ///< 1 for gray images and spectrograms; the length of feature vectors
  int64_t height = 32;   ///< pixels; mel bands of a spectrogram; 1 for feature vectors
  int64_t width = 32;    ///< pixels; frames of a spectrogram; 1 for feature vectors
};

}  // namespace projnce::encoder
