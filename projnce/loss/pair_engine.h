#pragma once

#include <torch/types.h>

#include "projnce/loss/pair_operands.h"

namespace projnce {

/// Who computes sums over pairs. Both agree to rounding; neither keeps an N x M value.
enum class PairEngine {
  kTiles,   ///< the vectorised kernels, for tensors on the CPU
  kChunks,  ///< LibTorch's own operations on chunks of rows, for any device
};

/// kTiles on the CPU, unless a ForcedPairEngine says otherwise; kChunks elsewhere.
PairEngine pair_engine(const torch::Tensor& rows);

/// Sets the engine for CPU tensors for as long as it lives, for tests and measurements. It is one
/// setting for the whole process.
class ForcedPairEngine {
 public:
  explicit ForcedPairEngine(PairEngine engine);
  ~ForcedPairEngine();
  ForcedPairEngine(const ForcedPairEngine&) = delete;
  ForcedPairEngine& operator=(const ForcedPairEngine&) = delete;

 private:
  PairEngine before_;
};

/// What an engine does. Masses are [sets, N]: log sum_j e^{s_ij} over positives and negatives, or
/// over all; minus infinity over nothing. The gradients are those of sum(gradient * result).
class PairSums {
 public:
  virtual ~PairSums() = default;
  virtual torch::Tensor masses(const PairOperands& pairs) const = 0;
  virtual PairGradients mass_gradients(const PairOperands& pairs, const torch::Tensor& masses,
                                       const torch::Tensor& gradient) const = 0;
  virtual torch::Tensor curve_sum(const PairOperands& pairs, const CurveSum& curve,
                                  const torch::Tensor& level) const = 0;
  virtual PairGradients curve_gradients(const PairOperands& pairs, const CurveSum& curve,
                                        const torch::Tensor& level,
                                        const torch::Tensor& gradient) const = 0;
};

const PairSums& tiled_pair_sums();
const PairSums& chunked_pair_sums();

}  // namespace projnce
