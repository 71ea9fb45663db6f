#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/split/stored_split.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Sample counts of the official distribution; 0 if they depend on options. A copy with fewer
/// samples is reported as a subset.
struct OfficialCounts {
  int64_t train = 0;
  int64_t test = 0;
  int64_t total = 0;  ///< of both splits, if there is no official split
};

/// Registry entry of a dataset.
struct DatasetEntry {
  std::string name;
  std::string summary;
  std::string source;                      ///< official download location
  std::vector<std::string> folders = {};   ///< folder names of the extracted archive
  std::vector<std::string> archives = {};  ///< official archive names
  std::string system_folder = {};          ///< folder installed by the system's package manager
  bool in_memory = false;                  ///< if true, opening reads and validates all samples
  OfficialCounts official = {};
  /// Returns whether a tree has this dataset's layout; null if any tree may.
  bool (*recognize)(const io::FileTreePtr& tree) = nullptr;
  std::string signature = {};  ///< what `recognize` looks for, as LayoutChoice::reason
  LayoutOptions layout = {};   ///< default dataset-specific options
  /// Opens the dataset at `root`; the options have the type of `layout`.
  DatasetSplit (*open)(const DatasetEntry& entry, const std::filesystem::path& root,
                       const LayoutOptions& options) = nullptr;
};

/// All datasets, sorted by name.
const std::vector<DatasetEntry>& dataset_registry();

/// Throws, suggesting the nearest name, if the name is unknown.
const DatasetEntry& dataset_entry(const std::string& name);

/// Command-line option for the layout of a path.
inline constexpr const char* kLayoutOption = "--layout";

/// Parameters of opening a dataset that are not dataset options.
struct OpenContext {
  uint64_t seed = 0;  ///< seed of splits and, unless configured, of label noise
  int threads = 1;    ///< number of decoding threads while samples are checked
  /// Folder that contains a folder per dataset; "" for none. Set from PROJNCE_DATA.
  std::filesystem::path data_root = {};
  std::filesystem::path cache_home = {};  ///< usually ~/.cache; searched for projnce/NAME
  /// Overrides the root in the options if the data of a run was moved; "" for none.
  std::filesystem::path root = {};
  bool record_split = false;  ///< if true, hash every sample for OpenedDataset::split
  /// Use these splits instead of drawing them; may be null.
  StoredSplitPtr stored_split = nullptr;
  NewSamples new_samples = NewSamples::kSkip;  ///< samples missing from `stored_split`
  /// Samples that the initial weights were trained on; may be null. They are not assigned to a test
  /// split that is drawn by the same rule.
  std::shared_ptr<const TrainedOn> trained_on = nullptr;
  ClipFormat audio = {};  ///< common format of clips; 0 s = typical length
  Logger logger = {};     ///< for warnings; may be null
  std::function<void(int64_t done, int64_t total)> on_progress = {};  ///< while samples are checked
};

/// Returns the root of the context, else of the options, else the first existing path of
/// dataset_search_paths(). Throws if there is none.
std::filesystem::path find_dataset(const DatasetOptions& options, const OpenContext& context);

/// Opens the dataset in a folder or archive and sets its layout. Throws if there are fewer than two
/// training classes.
DatasetSplit open_layout(const DatasetOptions& options, const std::filesystem::path& root,
                         const OpenContext& context);

/// Description of a dataset in `data list`.
struct DatasetDescription {
  std::string name;
  std::string summary;
  std::string source;  ///< official download location
};

std::vector<DatasetDescription> describe_datasets();
std::vector<std::string> dataset_names();

/// Throws, suggesting the nearest name, unless `name` is one of dataset_names(), which are the
/// layouts.
void check_layout_name(const std::string& name);

/// Folders and archives to try, in order, if the options have no root: the dataset's name, the
/// official folders and the official archives, in the data root and in the cache; then the system's
/// folder.
std::vector<std::filesystem::path> dataset_search_paths(const std::string& name,
                                                        const OpenContext& context);

/// Returns the name of the dataset whose layout the folder or archive at `path` has; std::nullopt
/// if it has none of the known ones and is a plain `folder`. Throws if it is neither folder nor
/// archive.
std::optional<std::string> recognize_dataset(const std::filesystem::path& path);

}  // namespace projnce::dataset
