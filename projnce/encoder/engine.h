#pragma once

#include <string>

namespace projnce {

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

}  // namespace projnce
