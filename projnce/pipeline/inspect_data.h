#pragma once

#include <filesystem>
#include <string>

#include "projnce/dataset/inspect.h"
#include "projnce/dataset/registry.h"

namespace projnce {

struct InspectRequest {
  std::string what;     ///< a dataset's name, a folder, an archive or a single sample's file
  std::string dataset;  ///< whose layout a path has; empty: found out by looking
  OpenContext context;
};

/// Reads every sample of what is named. A single file is a training part of one sample without
/// classes.
DatasetInfo inspect_data(const InspectRequest& request);

}  // namespace projnce
