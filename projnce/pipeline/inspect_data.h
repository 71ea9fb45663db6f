#pragma once

#include <filesystem>
#include <string>

#include "projnce/dataset/inspect.h"
#include "projnce/dataset/registry.h"

namespace projnce {

struct InspectRequest {
  std::string what;     ///< a dataset's name, a folder or a picture file
  std::string dataset;  ///< whose layout a folder has; empty: a folder for each class
  OpenContext context;
};

/// Reads every sample of what is named. A single file is a training part of one sample without
/// classes.
DatasetInfo inspect_data(const InspectRequest& request);

}  // namespace projnce
