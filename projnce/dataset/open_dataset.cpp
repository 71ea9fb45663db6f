#include "projnce/dataset/open_dataset.h"

#include <algorithm>
#include <memory>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/dataset/channels.h"
#include "projnce/dataset/checked_dataset.h"
#include "projnce/dataset/label_noise.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/relabelled.h"
#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

/// The numbers are part of what a seed means and stay as they are. Subsets do not depend on the
/// run's seed: runs with different seeds train on the same samples.
enum SeedPurpose : uint64_t { kTrainSubsetSeed = 102, kTestSubsetSeed = 103 };

/// The table's fields.
struct DatasetOptions {
  DatasetSource source;
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
  TableReader reader(table, "dataset");
  options.source = read_dataset_source(reader, context);
  reader.field("max_train", options.max_train, at_least(0))
      .field("max_test", options.max_test, at_least(0))
      .field("strict", options.strict);
  options.noise = read_label_noise(reader.section("label_noise"), context);
  reader.done();
  return options;
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
  auto split = options.source.open(root);
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
  opened.root = find_dataset(options.source, context);
  static_cast<DatasetSplit&>(opened) = open_parts(options, opened.root);
  if (!options.source.in_memory) check_samples(opened, options.strict, context);
  warn_of_untested_classes(*opened.test, context.logger);
  add_noise(opened, options.noise);
  return opened;
}

DatasetSplit open_unchecked_dataset(Table& table, const OpenContext& context) {
  const auto options = read_options(table, context);
  return open_parts(options, find_dataset(options.source, context));
}

}  // namespace projnce
