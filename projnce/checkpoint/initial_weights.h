#pragma once

#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce::checkpoint {

/// What training can start from existing weights: tensors of the model, by name.
struct WeightTargets {
  NamedTensors encoder;  ///< plain names; a file must have all of them
  NamedTensors head;     ///< "head.…"; taken where all of them fit
  NamedTensors loss;     ///< "loss.…"; taken where all of them fit
};

/// What became of a file of weights.
struct LoadedWeights {
  size_t encoder = 0;  ///< tensors of the encoder
  bool head = false;
  bool loss = false;
  std::vector<std::string> left_aside;  ///< names of the file, in its order
};

/// Copies weights that any program stored into `targets`, in place, converted to their types.
///
/// The file's names may have anything in front ("module.encoder."): the prefix under which most of
/// the encoder's names are found is taken for it. Floats of any size fit floats, whole numbers
/// whole numbers; `num_batches_tracked` may be missing. Throws one sentence, and leaves all targets
/// as they are, where another tensor of the encoder is missing, of another shape or not finite.
LoadedWeights load_initial_weights(const WeightTargets& targets, const TensorFile& file);

/// "120 tensors of the encoder, head fresh; left aside: fc.weight, fc.bias"
std::string describe(const LoadedWeights& taken, const WeightTargets& targets);

}  // namespace projnce::checkpoint
