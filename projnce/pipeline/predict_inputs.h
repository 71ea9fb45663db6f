#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/pipeline/input_options.h"

namespace projnce {

/// Samples to predict, and what each is called.
struct PredictInputs {
  DatasetPtr samples;
  std::vector<std::string> names;  ///< printable
};

/// Opens files and folders for a model with this input. A folder stands for all images or sounds at
/// any depth below it, by name. A model of vectors takes .npy matrices, whose rows are its samples.
/// Files are not decoded here. Throws if a folder holds no such file or a matrix does not fit.
PredictInputs open_predict_inputs(const std::vector<std::filesystem::path>& inputs,
                                  const InputOptions& input);

}  // namespace projnce
