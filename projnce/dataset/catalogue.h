#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// How many samples the makers' own copy has; 0 where that depends on options. A copy with fewer is
/// a subset and says so.
struct OfficialCounts {
  int64_t train = 0;
  int64_t test = 0;
  int64_t total = 0;  ///< of both, where the division is ours
};

/// What is known of a dataset before it is opened.
struct DatasetEntry {
  std::string name;
  std::string summary;
  std::string source;                      ///< where its makers hand it out
  std::vector<std::string> folders = {};   ///< what it is called when it is unpacked
  std::vector<std::string> archives = {};  ///< what its makers call the file
  std::string system_folder = {};          ///< where the system's package manager puts it
  bool in_memory = false;                  ///< its samples are bytes that opening has checked
  OfficialCounts official = {};
  /// Whether a tree has this dataset's layout; null where any tree may.
  bool (*recognise)(const FileTreePtr& tree) = nullptr;
  std::string signature = {};  ///< what `recognise` found, as the reason for the layout
  LayoutOptions layout = {};   ///< the defaults of its own options
  /// Opens what lies at `root`; the options are of the type of `layout`.
  DatasetSplit (*open)(const DatasetEntry& entry, const std::filesystem::path& root,
                       const LayoutOptions& options) = nullptr;
};

/// Every dataset, sorted by name.
const std::vector<DatasetEntry>& dataset_catalogue();

/// Throws, naming the nearest, where there is none of this name.
const DatasetEntry& dataset_entry(const std::string& name);

}  // namespace projnce
