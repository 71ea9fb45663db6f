#include "projnce/dataset/registry.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/image_folder.h"
#include "projnce/dataset/mnist.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSplitSeed = 101;  // part of what a seed means: stays as it is

struct Entry {
  const char* name;
  const char* summary;
  const char* source;
  const char* system_folder;  ///< where the system's package manager puts it; "" for nowhere
  bool in_memory;             ///< its samples are bytes that opening has already checked
  DatasetOpener (*read_fields)(TableReader& reader, const OpenContext& context);
};

DatasetOpener read_fashion_mnist(TableReader&, const OpenContext&) {
  return [](const fs::path& root) { return open_mnist(root, fashion_mnist_classes()); };
}

DatasetOpener read_mnist(TableReader&, const OpenContext&) {
  return [](const fs::path& root) { return open_mnist(root, mnist_classes()); };
}

DatasetOpener read_folder(TableReader& reader, const OpenContext& context) {
  ImageFolderOptions options{.seed = derive_seed(context.seed, kSplitSeed)};
  reader.field("test_fraction", options.test_fraction, {.low = 0, .high = 0.9, .low_open = true});
  return [options](const fs::path& root) { return open_image_folder(root, options); };
}

constexpr std::array kDatasets = {
    Entry{"fashion-mnist", "70 000 grey pictures of clothes, 28 x 28, 10 classes",
          "Debian package dataset-fashion-mnist, or github.com/zalandoresearch/fashion-mnist",
          "/usr/share/datasets/fashion-mnist", true, read_fashion_mnist},
    Entry{"folder", "your own JPEG and PNG pictures, a sub-folder for each class",
          "a folder of yours: set root, or give --data", "", false, read_folder},
    Entry{"mnist", "70 000 grey pictures of digits, 28 x 28, 10 classes",
          "yann.lecun.com/exdb/mnist, or a mirror of its four files", "", true, read_mnist},
};

const Entry& find_entry(const std::string& name) {
  const auto found = std::find_if(kDatasets.begin(), kDatasets.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (found == kDatasets.end()) fail_unknown("dataset", name, dataset_names());
  return *found;
}

}  // namespace

DatasetSource read_dataset_source(TableReader& reader, const OpenContext& context) {
  DatasetSource source;
  source.name = "fashion-mnist";
  reader.field("name", source.name);
  const auto& entry = find_entry(source.name);
  reader.field("root", source.root);
  source.provider = entry.source;
  source.in_memory = entry.in_memory;
  source.open = entry.read_fields(reader, context);
  return source;
}

fs::path find_dataset(const DatasetSource& source, const OpenContext& context) {
  if (!source.root.empty()) return source.root;
  std::vector<std::string> tried;
  for (const auto& place : dataset_places(source.name, context)) {
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) return place;
    tried.push_back(printable(place.native()));
  }
  const auto where = tried.empty() ? "" : ", looked for in " + join(tried);
  fail(Hint{concat("set dataset.root to its folder; source: ", source.provider)}, "dataset ",
       source.name, " is not on this machine", where);
}

std::vector<DatasetDescription> describe_datasets() {
  std::vector<DatasetDescription> descriptions;
  for (const auto& entry : kDatasets) {
    descriptions.push_back({entry.name, entry.summary, entry.source});
  }
  return descriptions;
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : kDatasets) names.emplace_back(entry.name);
  return names;
}

std::vector<fs::path> dataset_places(const std::string& name, const OpenContext& context) {
  const auto& entry = find_entry(name);
  std::vector<fs::path> places;
  if (!context.data_root.empty()) places.push_back(context.data_root / name);
  if (!context.cache_home.empty()) places.push_back(context.cache_home / "projnce" / name);
  if (*entry.system_folder != '\0') places.emplace_back(entry.system_folder);
  return places;
}

}  // namespace projnce
