#pragma once

#include <string>

#include "projnce/core/table.h"

namespace projnce {

/// The table [dataset] for data that a user names on the command line: a dataset's name, a folder
/// or an archive. `layout` is the dataset whose layout a path has; "" finds it out by looking.
/// Throws where there is no such thing.
Table dataset_table(const std::string& what, const std::string& layout = "");

/// Whether the name is that of a dataset, a folder or an archive, not of a single sample.
bool names_dataset(const std::string& what);

}  // namespace projnce
