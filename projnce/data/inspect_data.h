#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/checksums.h"
#include "projnce/dataset/inspect/inspect.h"
#include "projnce/dataset/registry.h"

namespace projnce::data {

struct InspectRequest {
  std::string what;                  ///< dataset name, folder, archive or file of a single sample
  std::string layout;                ///< of a path; empty: auto-detect
  dataset::TableOptions table = {};  ///< columns and embeddings, if `what` is a table
  dataset::OpenContext context;
  std::filesystem::path sheet = {};  ///< contact sheet to write, .png or .html; empty: none
  bool checksums = false;            ///< compare with official checksums, if known
};

struct Inspection {
  dataset::DatasetSplit split;  ///< the opened splits
  dataset::DatasetInfo info;
  std::vector<dataset::ChecksumVerdict> checksums;

  int64_t corrupt_files() const;
  /// True if `projnce train` by default skips the corrupt samples instead of rejecting the data.
  bool trainable() const;
  bool valid() const { return info.valid() && corrupt_files() == 0; }
};

/// Reads every sample, with the default split of `projnce train`; shows a progress bar. A single
/// file is a training split of one sample without classes. Throws if there is nothing to train on,
/// like `projnce train`.
Inspection inspect_data(const InspectRequest& request);

}  // namespace projnce::data
