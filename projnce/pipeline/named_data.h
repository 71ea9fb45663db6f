#pragma once

#include <string>

#include "projnce/dataset/dataset_options.h"

namespace projnce {

/// The options for data that a user names on the command line: a dataset's name, a folder or an
/// archive, which becomes the root. `layout` is the dataset whose layout a path has; "" finds it
/// out by looking. Throws where there is no such thing.
DatasetOptions named_dataset(const std::string& what, const std::string& layout = "");

/// Whether the name is that of a dataset, a folder or an archive, not of a single sample.
bool names_dataset(const std::string& what);

}  // namespace projnce
