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
  bool (*recognize)(const io::FileTreePtr& tree) = nullptr;
  std::string signature = {};  ///< what `recognize` found, as the reason for the layout
  LayoutOptions layout = {};   ///< the defaults of its own options
  /// Opens what lies at `root`; the options are of the type of `layout`.
  DatasetSplit (*open)(const DatasetEntry& entry, const std::filesystem::path& root,
                       const LayoutOptions& options) = nullptr;
};

/// Every dataset, sorted by name.
const std::vector<DatasetEntry>& dataset_registry();

/// Throws, naming the nearest, where there is none of this name.
const DatasetEntry& dataset_entry(const std::string& name);

/// How the user chooses the layout of a path.
inline constexpr const char* kLayoutOption = "--layout";

/// What opening a dataset takes from the program around it.
struct OpenContext {
  uint64_t seed = 0;  ///< decides splits and, unless it has a seed of its own, label noise
  int threads = 1;    ///< that decode at once while the samples are checked
  /// Holds a folder for each dataset; "" for none. The program takes it from PROJNCE_DATA.
  std::filesystem::path data_root = {};
  std::filesystem::path cache_home = {};  ///< usually ~/.cache: projnce/NAME is looked for in it
  /// Where the data lies, if not where the options say: a run's data may have been moved. "" for
  /// none.
  std::filesystem::path root = {};
  bool record_split = false;  ///< identify every sample, for OpenedDataset::split
  /// Take these parts instead of drawing them; may be null.
  StoredSplitPtr stored_split = nullptr;
  NewSamples new_samples = NewSamples::kLeaveOut;  ///< that `stored_split` does not have
  /// Samples that the initial weights were trained on; may be null. They are not drawn for a test
  /// part that is split by the same rule.
  std::shared_ptr<const TrainedOn> trained_on = nullptr;
  ClipFormat sound = {};  ///< sounds are brought into it; 0 s: found by looking
  Logger logger = {};     ///< for warnings; may be null
  std::function<void(int64_t done, int64_t total)> on_progress = {};  ///< while samples are checked
};

/// The root that the context gives, else that of the options, else the first of the dataset's
/// places that exists. Throws where none does.
std::filesystem::path find_dataset(const DatasetOptions& options, const OpenContext& context);

/// Opens the dataset that lies in a folder or an archive, and fills in the layout. Throws if fewer
/// than two classes are to train on.
DatasetSplit open_layout(const DatasetOptions& options, const std::filesystem::path& root,
                         const OpenContext& context);

/// What `data list` says about a dataset.
struct DatasetDescription {
  std::string name;
  std::string summary;
  std::string source;  ///< where its makers hand it out
};

std::vector<DatasetDescription> describe_datasets();
std::vector<std::string> dataset_names();

/// Throws, naming the nearest, unless `name` is one of dataset_names(): each is a layout too.
void check_layout_name(const std::string& name);

/// The folders and archives that are tried, in this order, where the options have no root: in the
/// data root and in the cache the dataset's name, the official folder, the official archive; then
/// the system's folder.
std::vector<std::filesystem::path> dataset_places(const std::string& name,
                                                  const OpenContext& context);

/// The name of the dataset whose layout the folder or archive at `path` has. None where it has
/// nobody's: then it is a `folder`. Throws where it is neither folder nor archive.
std::optional<std::string> recognize_dataset(const std::filesystem::path& path);

}  // namespace projnce::dataset
