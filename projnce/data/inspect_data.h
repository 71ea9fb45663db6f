#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/checksums.h"
#include "projnce/dataset/inspect/inspect.h"
#include "projnce/dataset/registry.h"

namespace projnce::data {

struct InspectRequest {
  std::string what;    ///< a dataset's name, a folder, an archive or a single sample's file
  std::string layout;  ///< of a path; empty: found out by looking
  dataset::OpenContext context;
  std::filesystem::path sheet = {};  ///< a contact sheet to write, .png or .html; empty: none
  bool checksums = false;            ///< compare with official files where their digests are known
};

struct Inspection {
  dataset::DatasetSplit split;  ///< the parts as they were opened
  dataset::DatasetInfo info;
  std::vector<dataset::ChecksumVerdict> checksums;

  int64_t damaged_files() const;
  /// Whether `projnce train` skips the damaged samples by default, rather than refusing the data.
  bool trainable() const;
  bool valid() const { return info.valid() && damaged_files() == 0; }
};

/// Reads every sample of what is named, split as `projnce train` splits it by default, with a
/// progress bar. A single file is a training part of one sample without classes. Throws if there is
/// nothing to train on, as `projnce train` does.
Inspection inspect_data(const InspectRequest& request);

}  // namespace projnce::data
