#include "projnce/dataset/registry.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/catalogue.h"
#include "projnce/dataset/embeddings.h"
#include "projnce/dataset/labels.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSplitSeed = 101;  // part of what a seed means: stays as it is

void remark_subset(DatasetSplit& split, int64_t found, int64_t official, const char* what) {
  if (found >= official) return;
  split.remarks.push_back(concat("a subset: ", found, " of the official ", official, " ", what));
}

void remark_subsets(DatasetSplit& split, const OfficialCounts& official) {
  const auto train = (split.known ? split.known : split.train)->size();
  const auto test = split.test->size();
  remark_subset(split, train, official.train, "training samples");
  remark_subset(split, test, official.test, "test samples");
  remark_subset(split, train + test, official.total, "samples");
}

/// Runs with different seeds have the same test part, unless split_seed differs too.
void complete_hold_out(HoldOut& options, const OpenContext& context) {
  if (options.rule != SplitRule::kHash) options.seed = derive_seed(context.seed, kSplitSeed);
  options.threads = context.threads;
  options.trained_on = context.trained_on;
}

LayoutOptions for_opening(LayoutOptions layout, const OpenContext& context) {
  if (auto* hold_out = std::get_if<HoldOut>(&layout)) complete_hold_out(*hold_out, context);
  if (auto* caltech = std::get_if<Caltech256Options>(&layout)) {
    complete_hold_out(caltech->hold_out, context);
  }
  if (auto* crema = std::get_if<CremaDOptions>(&layout)) {
    complete_hold_out(crema->hold_out, context);
  }
  return layout;
}

/// The dataset by its own name, unpacked or not.
void add_places(const DatasetEntry& entry, const fs::path& root, std::vector<fs::path>& places) {
  places.push_back(root / entry.name);
  for (const auto& folder : entry.folders) places.push_back(root / folder);
  for (const auto& archive : entry.archives) places.push_back(root / archive);
}

}  // namespace

DatasetSplit open_layout(const DatasetOptions& options, const fs::path& root,
                         const OpenContext& context) {
  const auto& entry = dataset_entry(options.name);
  auto split = entry.open(entry, root, for_opening(options.layout, context));
  if (!split.unlabelled) check_two_classes(*split.train);
  remark_subsets(split, entry.official);
  split.layout.name = options.name;
  if (options.layout_chosen) {
    split.layout.reason = concat("chosen by ", kLayoutOption);
  } else if (split.layout.reason.empty()) {
    split.layout.reason = "named by dataset.name";
  }
  return split;
}

fs::path find_dataset(const DatasetOptions& options, const OpenContext& context) {
  if (!context.root.empty()) return context.root;
  if (!options.root.empty()) return options.root;
  std::vector<std::string> tried;
  for (const auto& place : dataset_places(options.name, context)) {
    std::error_code ignored;
    if (fs::is_directory(place, ignored) || fs::is_regular_file(place, ignored)) return place;
    tried.push_back(printable(place.native()));
  }
  const auto where = tried.empty() ? "" : ", looked for in " + join(tried);
  fail(Hint{concat("set dataset.root to its folder; source: ", dataset_entry(options.name).source)},
       "dataset ", options.name, " is not on this machine", where);
}

std::vector<DatasetDescription> describe_datasets() {
  std::vector<DatasetDescription> descriptions;
  for (const auto& entry : dataset_catalogue()) {
    descriptions.push_back({entry.name, entry.summary, entry.source});
  }
  return descriptions;
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : dataset_catalogue()) names.push_back(entry.name);
  return names;
}

void check_layout_name(const std::string& name) {
  const auto names = dataset_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    fail_unknown("layout", printable(name), names);
  }
}

std::vector<fs::path> dataset_places(const std::string& name, const OpenContext& context) {
  const auto& entry = dataset_entry(name);
  std::vector<fs::path> places;
  if (!context.data_root.empty()) add_places(entry, context.data_root, places);
  if (!context.cache_home.empty()) add_places(entry, context.cache_home / "projnce", places);
  if (!entry.system_folder.empty()) places.emplace_back(entry.system_folder);
  return places;
}

std::optional<std::string> recognise_dataset(const fs::path& path) {
  std::error_code ignored;
  if (is_embeddings_file(path) && fs::is_regular_file(path, ignored)) return "embeddings";
  const auto tree = open_file_tree(path);
  for (const auto& entry : dataset_catalogue()) {
    if (entry.recognise != nullptr && entry.recognise(tree)) return entry.name;
  }
  return {};
}

}  // namespace projnce
