#include "projnce/dataset/open_dataset.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/core/table_reader.h"
#include "projnce/dataset/channels.h"
#include "projnce/dataset/checked_dataset.h"
#include "projnce/dataset/feature_noise.h"
#include "projnce/dataset/label_noise.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/relabelled.h"
#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

/// The numbers are part of what a seed means and stay as they are. max_train and max_test do not
/// depend on the run's seed: runs with different seeds train on the same samples.
enum SeedPurpose : uint64_t {
  kTrainSubsetSeed = 102,
  kTestSubsetSeed = 103,
  kFractionSeed = 104,
  kImbalanceSeed = 105,
  kTrainNoiseSeed = 106,
  kTestNoiseSeed = 107,
};

constexpr int64_t kEstimatedFrom = 64;  // samples

/// The table's fields.
struct DatasetOptions {
  DatasetSource source;
  int64_t max_train = 0;
  int64_t max_test = 0;
  double label_fraction = 1;
  double imbalance = 1;
  bool strict = false;
  CorruptLimit max_corrupt;
  int64_t memory_mb = 2048;
  LabelNoiseOptions label_noise;
  FeatureNoiseOptions feature_noise;

  size_t memory_budget() const { return static_cast<size_t>(memory_mb) << 20; }
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

FeatureNoiseOptions read_feature_noise(Table& table, const OpenContext& context) {
  FeatureNoiseOptions options;
  auto seed = static_cast<int64_t>(context.seed);
  TableReader(table, "dataset.feature_noise")
      .field("deviation", options.deviation, between(0, 1000))
      .field("clip", options.clip)
      .field("test", options.test)
      .field("seed", seed)
      .done();
  options.seed = static_cast<uint64_t>(seed);
  return options;
}

/// The user chose the layout.
void give_layout_reason(DatasetSource& source) {
  source.open = [open = std::move(source.open)](const fs::path& root) {
    auto split = open(root);
    split.layout.reason = concat("chosen by ", kLayoutOption);
    return split;
  };
}

DatasetOptions read_options(Table& table, const OpenContext& context) {
  const Range share{.low = 0, .high = 1, .low_open = true};
  DatasetOptions options;
  TableReader reader(table, "dataset");
  options.source = read_dataset_source(reader, context);
  if (table.values.at("name").where == kLayoutOption) give_layout_reason(options.source);
  reader.field("max_train", options.max_train, at_least(0))
      .field("max_test", options.max_test, at_least(0))
      .field("label_fraction", options.label_fraction, share)
      .field("imbalance", options.imbalance, share)
      .field("strict", options.strict)
      .field("memory_mb", options.memory_mb, between(0, 1 << 24));
  options.max_corrupt = read_corrupt_limit(table, reader);
  options.label_noise = read_label_noise(reader.section("label_noise"), context);
  options.feature_noise = read_feature_noise(reader.section("feature_noise"), context);
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

DatasetPtr thin_out(DatasetPtr train, const DatasetOptions& options, uint64_t seed) {
  if (options.imbalance < 1) {
    train = std::make_shared<SubsetDataset>(
        train, long_tailed_subset(*train, options.imbalance, derive_seed(seed, kImbalanceSeed)));
  }
  if (options.label_fraction < 1) {
    train = std::make_shared<SubsetDataset>(
        train,
        fraction_of_each_class(*train, options.label_fraction, derive_seed(seed, kFractionSeed)));
  }
  return limit(train, options.max_train, "max_train", kTrainSubsetSeed);
}

DatasetSplit open_parts(const DatasetOptions& options, const fs::path& root, uint64_t seed) {
  auto split = options.source.open(root);
  split.train = thin_out(split.train, options, seed);
  split.test = limit(split.test, options.max_test, "max_test", kTestSubsetSeed);
  return split;
}

/// The parts that are there.
std::vector<DatasetPtr*> parts_of(DatasetSplit& split) {
  std::vector<DatasetPtr*> parts = {&split.train, &split.test};
  if (split.known) parts.push_back(&split.known);
  return parts;
}

ClipFormat bring_into_form(DatasetSplit& split, ClipFormat format) {
  if (format.seconds == 0) format.seconds = split.seconds;
  if (format.seconds == 0) format.seconds = typical_seconds(*split.train);
  for (auto* part : parts_of(split)) *part = prepare_clips(*part, format);
  if (split.background) {
    split.background = prepare_clips(split.background, {.rate = format.rate, .seconds = 0});
  }
  return format;
}

/// What a few samples tell about all.
struct Impression {
  double bytes = 0;  ///< that all samples take when they are decoded, estimated
  int channels = 1;  ///< 3 where any of those looked at is coloured
};

Impression look_at_samples(const Dataset& dataset) {
  const int64_t count = std::min(dataset.size(), kEstimatedFrom);
  Impression impression;
  int64_t readable = 0;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto sample = dataset.decode(i * dataset.size() / count);
      const auto* image = std::get_if<Image>(&sample);
      if (image != nullptr && image->channels == 3) impression.channels = 3;
      impression.bytes += static_cast<double>(bytes_of(sample));
      ++readable;
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
    }
  }
  impression.bytes *= double(dataset.size()) / double(std::max<int64_t>(readable, 1));
  return impression;
}

/// Decodes every sample, leaves out the damaged ones and holds the others in memory. Returns how
/// many channels pictures have.
int check_samples(OpenedDataset& opened, DamageRules rules, size_t memory,
                  const OpenContext& context) {
  CheckOptions options{.decoding = {context.threads, context.on_progress}, .memory_budget = memory};
  for (auto* part : parts_of(opened)) rules.samples_in_all += (*part)->size();
  int channels = 1;
  const auto check = [&](DatasetPtr& part, const char* name) {
    const auto checked = check_dataset(part, options);
    rules.part = name;
    rules.every_class = &part != &opened.test;  // a class may go untested
    judge_damage(*part, checked.damaged, rules, context.logger);
    rules.damaged_before += static_cast<int64_t>(checked.damaged.size());
    options.memory_budget -= checked.bytes_in_memory;
    channels = std::max(channels, checked.channels);
    part = checked.dataset;
    return static_cast<int64_t>(checked.damaged.size());
  };
  opened.skipped_train = check(opened.train, "training part");
  opened.skipped_test = check(opened.test, "test part");
  if (opened.known) check(opened.known, "labelled part");
  return channels;
}

/// Brings samples into memory where they fit, and gives pictures the same number of channels.
void make_ready(OpenedDataset& opened, const DatasetOptions& options, const OpenContext& context) {
  Impression all;
  for (auto* part : parts_of(opened)) {
    const auto impression = look_at_samples(**part);
    all.bytes += impression.bytes;
    all.channels = std::max(all.channels, impression.channels);
  }
  const bool fits = all.bytes <= static_cast<double>(options.memory_budget());
  if (fits || options.strict) {
    all.channels =
        check_samples(opened, {.strict = options.strict, .max_corrupt = options.max_corrupt},
                      fits ? options.memory_budget() : 0, context);
  }
  if (context.logger && fits) {
    context.logger->info("{:.0f} MB of decoded samples are held in memory", all.bytes / 1e6);
  } else if (context.logger) {
    context.logger->info(
        "{:.0f} MB of decoded samples, more than dataset.memory_mb: they are read in each epoch",
        all.bytes / 1e6);
  }
  if (opened.train->kind() != SampleKind::kImage) return;
  for (auto* part : parts_of(opened)) *part = with_channels(*part, all.channels);
}

void log_findings(const DatasetSplit& split, const Logger& logger) {
  if (!logger) return;
  logger->info("layout: {} ({})", split.layout.name, split.layout.reason);
  logger->info("split: {} training samples, {} test samples, {} classes", split.train->size(),
               split.test->size(), split.test->class_names().size());
  for (const auto& warning : split.warnings) logger->warn("{}", warning);
  for (const auto& remark : split.remarks) logger->info("{}", remark);
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

void add_label_noise(OpenedDataset& opened, const LabelNoiseOptions& noise) {
  if (noise.rate == 0) return;
  if (opened.unlabelled)
    fail("[dataset.label_noise] has no labels to change: the training part has none");
  opened.clean_train_labels = labels_of(*opened.train);
  const auto classes = static_cast<int64_t>(opened.train->class_names().size());
  opened.train = std::make_shared<RelabelledDataset>(
      opened.train, add_label_noise(opened.clean_train_labels, classes, noise));
}

void add_feature_noise(OpenedDataset& opened, FeatureNoiseOptions noise) {
  if (noise.deviation == 0) return;
  const uint64_t seed = noise.seed;
  noise.seed = derive_seed(seed, kTrainNoiseSeed);
  opened.train = with_feature_noise(opened.train, noise);
  if (opened.known) opened.known = with_feature_noise(opened.known, noise);
  if (!noise.test) return;
  noise.seed = derive_seed(seed, kTestNoiseSeed);
  opened.test = with_feature_noise(opened.test, noise);
}

}  // namespace

void complete_dataset_table(Table& table, const OpenContext& context) {
  read_options(table, context);
}

OpenedDataset open_dataset(Table& table, const OpenContext& context) {
  const auto options = read_options(table, context);
  OpenedDataset opened;
  opened.root = find_dataset(options.source, context);
  static_cast<DatasetSplit&>(opened) = open_parts(options, opened.root, context.seed);
  opened.max_corrupt = options.max_corrupt;
  log_findings(opened, context.logger);
  if (opened.train->kind() == SampleKind::kSound) {
    opened.sound = bring_into_form(opened, context.sound);
  }
  if (!options.source.in_memory) make_ready(opened, options, context);
  warn_of_untested_classes(*opened.test, context.logger);
  add_feature_noise(opened, options.feature_noise);
  add_label_noise(opened, options.label_noise);
  return opened;
}

DatasetSplit open_unchecked_dataset(Table& table, const OpenContext& context) {
  const auto options = read_options(table, context);
  return open_parts(options, find_dataset(options.source, context), context.seed);
}

}  // namespace projnce
