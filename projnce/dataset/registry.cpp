#include "projnce/dataset/registry.h"

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/core/table_reader.h"
#include "projnce/dataset/channels.h"
#include "projnce/dataset/checked_dataset.h"
#include "projnce/dataset/image_folder.h"
#include "projnce/dataset/label_noise.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/mnist.h"
#include "projnce/dataset/relabelled.h"
#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

/// The numbers are part of what a seed means and stay as they are. Subsets do not depend on the
/// run's seed: runs with different seeds train on the same samples.
enum SeedPurpose : uint64_t { kSplitSeed = 101, kTrainSubsetSeed = 102, kTestSubsetSeed = 103 };

/// Opens the dataset in a folder, once it is called. Reading the fields comes first, so that a typo
/// is noticed before files are looked for.
using Opener = std::function<DatasetSplit(const fs::path& root)>;

struct Entry {
  const char* name;
  const char* summary;
  const char* source;
  const char* system_folder;  ///< where the system's package manager puts it; "" for nowhere
  bool in_memory;             ///< its samples are bytes that opening has already checked
  Opener (*read_fields)(TableReader& reader, const OpenContext& context);
};

Opener read_fashion_mnist(TableReader&, const OpenContext&) {
  return [](const fs::path& root) { return open_mnist(root, fashion_mnist_classes()); };
}

Opener read_mnist(TableReader&, const OpenContext&) {
  return [](const fs::path& root) { return open_mnist(root, mnist_classes()); };
}

Opener read_folder(TableReader& reader, const OpenContext& context) {
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

/// The table's fields.
struct DatasetOptions {
  const Entry* entry = nullptr;
  Opener open;
  std::string root;
  int64_t max_train = 0;
  int64_t max_test = 0;
  bool strict = false;
  LabelNoiseOptions noise;
};

LabelNoiseOptions read_label_noise(Table& table, const OpenContext& context) {
  LabelNoiseOptions options;
  auto seed = static_cast<int64_t>(context.seed);
  TableReader(table, "dataset.label_noise")
      .choice("mode", options.mode, label_noise_modes())
      .field("rate", options.rate, between(0, 1))
      .field("seed", seed)
      .done();
  options.seed = static_cast<uint64_t>(seed);
  return options;
}

DatasetOptions read_options(Table& table, const OpenContext& context) {
  DatasetOptions options;
  std::string name = "fashion-mnist";
  TableReader reader(table, "dataset");
  reader.field("name", name);
  options.entry = &find_entry(name);
  reader.field("root", options.root)
      .field("max_train", options.max_train, at_least(0))
      .field("max_test", options.max_test, at_least(0))
      .field("strict", options.strict);
  options.noise = read_label_noise(reader.section("label_noise"), context);
  options.open = options.entry->read_fields(reader, context);
  reader.done();
  return options;
}

fs::path find_root(const DatasetOptions& options, const OpenContext& context) {
  if (!options.root.empty()) return options.root;
  std::vector<std::string> tried;
  for (const auto& place : dataset_places(options.entry->name, context)) {
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) return place;
    tried.push_back(printable(place.native()));
  }
  const auto where = tried.empty() ? "" : ", looked for in " + join(tried);
  fail(Hint{concat("set dataset.root to its folder; source: ", options.entry->source)}, "dataset ",
       options.entry->name, " is not on this machine", where);
}

DatasetPtr limit(const DatasetPtr& part, int64_t count, const char* key, uint64_t seed) {
  if (count == 0 || count >= part->size()) return part;
  const auto classes = static_cast<int64_t>(part->class_names().size());
  if (count < classes) {
    fail("[dataset] ", key, " = ", count,
         " is too small, expected at least one sample for each of ", classes, " classes");
  }
  return std::make_shared<SubsetDataset>(part, stratified_subset(*part, count, seed));
}

DatasetSplit open_parts(const DatasetOptions& options, const fs::path& root) {
  auto split = options.open(root);
  split.train = limit(split.train, options.max_train, "max_train", kTrainSubsetSeed);
  split.test = limit(split.test, options.max_test, "max_test", kTestSubsetSeed);
  return split;
}

/// Leaves out damaged samples and gives all the same number of channels.
void check_samples(OpenedDataset& opened, bool strict, const OpenContext& context) {
  CheckOptions options{.decoding = {context.threads, context.on_progress},
                       .memory_budget = context.memory_budget};
  const auto train = check_dataset(opened.train, options);
  judge_damage(*opened.train, train.damaged, {.strict = strict, .part = "training part"},
               context.logger);
  options.memory_budget -= train.bytes_in_memory;
  const auto test = check_dataset(opened.test, options);
  judge_damage(*opened.test, test.damaged, {.strict = strict, .part = "test part"}, context.logger);

  const int channels = std::max(train.channels, test.channels);
  opened.train = with_channels(train.dataset, channels);
  opened.test = with_channels(test.dataset, channels);
  opened.skipped_train = static_cast<int64_t>(train.damaged.size());
  opened.skipped_test = static_cast<int64_t>(test.damaged.size());
}

void warn_of_untested_classes(const Dataset& test, const Logger& logger) {
  if (!logger) return;
  const auto counts = class_counts(test);
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) {
      logger->warn("class '{}' has no sample in the test part", test.class_names()[c]);
    }
  }
}

void add_noise(OpenedDataset& opened, const LabelNoiseOptions& noise) {
  if (noise.rate == 0) return;
  opened.clean_train_labels = labels_of(*opened.train);
  const auto classes = static_cast<int64_t>(opened.train->class_names().size());
  opened.train = std::make_shared<RelabelledDataset>(
      opened.train, add_label_noise(opened.clean_train_labels, classes, noise));
}

}  // namespace

OpenedDataset open_dataset(Table& table, const OpenContext& context) {
  const auto options = read_options(table, context);
  OpenedDataset opened;
  opened.root = find_root(options, context);
  static_cast<DatasetSplit&>(opened) = open_parts(options, opened.root);
  if (!options.entry->in_memory) check_samples(opened, options.strict, context);
  warn_of_untested_classes(*opened.test, context.logger);
  add_noise(opened, options.noise);
  return opened;
}

DatasetSplit open_unchecked_dataset(Table& table, const OpenContext& context) {
  const auto options = read_options(table, context);
  return open_parts(options, find_root(options, context));
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
