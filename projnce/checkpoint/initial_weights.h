#pragma once

#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce::checkpoint {

/// Tensors that can be initialized from existing weights, by name.
struct WeightTargets {
  NamedTensors encoder;  ///< plain names; a file must have all of them
  NamedTensors head;     ///< "head.…"; loaded if all of them fit
  NamedTensors loss;     ///< "loss.…"; loaded if all of them fit
};

/// The tensors that were loaded from a file of weights.
struct LoadedWeights {
  size_t encoder = 0;  ///< number of encoder tensors
  bool head = false;
  bool loss = false;
  std::vector<std::string> unused;  ///< names of the file's other tensors, in file order
};

/// Copies weights saved by any program into `targets`, in place, converted to their types.
///
/// The file's names may have a prefix such as "module.encoder.": the prefix that matches most of
/// the encoder's names is used. Floating-point types convert to each other, and so do integer
/// types; `num_batches_tracked` may be missing. Throws, before any target is modified, if another
/// encoder tensor is missing, has another shape or is not finite.
LoadedWeights load_initial_weights(const WeightTargets& targets, const TensorFile& file);

/// Example: "120 encoder tensors, head not loaded; unused: fc.weight, fc.bias".
std::string describe(const LoadedWeights& loaded, const WeightTargets& targets);

}  // namespace projnce::checkpoint
