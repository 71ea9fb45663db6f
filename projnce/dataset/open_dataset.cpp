#include "projnce/dataset/open_dataset.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/registry.h"
#include "projnce/dataset/wrappers/checked_dataset.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

/// Do not change these numbers: they define what a seed means. max_train and max_test do not depend
/// on the run's seed, so runs with different seeds train on the same samples.
enum SeedPurpose : uint64_t {
  kTrainSubsetSeed = 102,
  kTestSubsetSeed = 103,
  kFractionSeed = 104,
  kImbalanceSeed = 105,
  kTrainNoiseSeed = 106,
  kTestNoiseSeed = 107,
};

constexpr int64_t kProbedSamples = 64;  // to estimate the size in memory

size_t memory_budget(const DatasetOptions& options) {
  return static_cast<size_t>(options.memory_mb) << 20;
}

CorruptLimit corrupt_limit(const DatasetOptions& options) {
  return parse_corrupt_limit(options.max_corrupt, "[dataset] max_corrupt");
}

DatasetPtr limit_samples(const DatasetPtr& part, int64_t count, const char* key, uint64_t seed) {
  if (count == 0 || count >= part->size()) return part;
  const auto classes = static_cast<int64_t>(part->class_names().size());
  if (count < classes) {
    fail("[dataset] ", key, " = ", count,
         " is too small, expected at least one sample for each of ",
         counted(classes, "class", "classes"));
  }
  return std::make_shared<SubsetDataset>(part, stratified_subset(*part, count, seed));
}

DatasetPtr subsample(DatasetPtr train, const DatasetOptions& options, uint64_t seed) {
  if (options.imbalance < 1) {
    train = std::make_shared<SubsetDataset>(
        train, long_tailed_subset(*train, options.imbalance, derive_seed(seed, kImbalanceSeed)));
  }
  if (options.label_fraction < 1) {
    train = std::make_shared<SubsetDataset>(
        train,
        fraction_of_each_class(*train, options.label_fraction, derive_seed(seed, kFractionSeed)));
  }
  return limit_samples(train, options.max_train, "max_train", kTrainSubsetSeed);
}

/// Throws if the configured noise does not apply to the samples, before any of them is decoded.
void check_noise(const DatasetSplit& split, const DatasetOptions& options) {
  if (options.label_noise.rate > 0 && split.unlabeled) {
    fail("[dataset.label_noise] needs labels, but the training split has none");
  }
  if (options.feature_noise.deviation > 0) with_feature_noise(split.train, options.feature_noise);
}

void limit_splits(DatasetSplit& split, const DatasetOptions& options, uint64_t seed) {
  split.train = subsample(split.train, options, seed);
  split.test = limit_samples(split.test, options.max_test, "max_test", kTestSubsetSeed);
}

/// Hashes each sample once and keeps the identities in memory.
void identify_splits(DatasetSplit& split, int threads) {
  split.train = with_identities(split.train, threads);
  split.test = with_identities(split.test, threads);
}

void log_changes(const SplitChanges& changes, const OpenContext& context, const fs::path& root) {
  if (!context.logger || !changes.any()) return;
  const auto path = io::printable(root.native());
  if (changes.kept == 0) {
    context.logger->info("{} contains none of the samples of the run", path);
    return;
  }
  const bool keep = context.new_samples == NewSamples::kKeep;
  context.logger->warn(
      "{} differs from the training data of the run: {} missing ({} of the test split), {} new and "
      "{}, {} a different label",
      path, counted(changes.gone, "sample is", "samples are"), changes.gone_test,
      counted(changes.added, "is", "are"), keep ? "split by the same rule" : "skipped",
      counted(changes.relabeled, "has", "have"));
}

/// Applies the stored split of a run, which includes its limits on the number of samples.
void apply_stored_split(OpenedDataset& opened, const OpenContext& context) {
  identify_splits(opened, context.threads);
  opened.changes = apply_split(opened, *context.stored_split, context.new_samples);
  for (const auto& [part, name] :
       {std::pair{opened.train, "training"}, std::pair{opened.test, "test"}}) {
    if (part->size() > 0) continue;
    fail(Hint{"pass the data of the run with --data"}, io::printable(opened.root.native()),
         " contains none of the ", name, " samples of the run");
  }
  log_changes(opened.changes, context, opened.root);
}

/// Opens the splits with all limits applied. Returns the identities of all samples if requested.
std::vector<SampleId> open_splits(OpenedDataset& opened, const DatasetOptions& options,
                                  const OpenContext& context) {
  static_cast<DatasetSplit&>(opened) = open_layout(options, opened.root, context);
  check_noise(opened, options);
  if (context.stored_split) {
    apply_stored_split(opened, context);
    return {};
  }
  std::vector<SampleId> all;
  if (context.record_split) {
    identify_splits(opened, context.threads);
    all = sample_ids(*opened.train);
    const auto test = sample_ids(*opened.test);
    all.insert(all.end(), test.begin(), test.end());
  }
  limit_splits(opened, options, context.seed);
  return all;
}

/// All present labeled or training splits.
std::vector<DatasetPtr*> splits_of(DatasetSplit& split) {
  std::vector<DatasetPtr*> parts = {&split.train, &split.test};
  if (split.reference) parts.push_back(&split.reference);
  return parts;
}

ClipFormat normalize_clips(DatasetSplit& split, ClipFormat format) {
  if (format.seconds == 0) format.seconds = split.seconds;
  if (format.seconds == 0) format.seconds = typical_seconds(*split.train);
  for (auto* part : splits_of(split)) *part = prepare_clips(*part, format);
  if (split.background) {
    split.background = prepare_clips(split.background, {.rate = format.rate, .seconds = 0});
  }
  return format;
}

/// Statistics estimated from a few samples.
struct SampleStats {
  double bytes = 0;  ///< estimated size of all decoded samples
  int channels = 1;  ///< 3 if any probed sample has color
};

SampleStats probe_samples(const Dataset& dataset) {
  const int64_t count = std::min(dataset.size(), kProbedSamples);
  SampleStats stats;
  int64_t readable = 0;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto sample = dataset.decode(i * dataset.size() / count);
      const auto* image = std::get_if<Image>(&sample);
      if (image != nullptr && image->channels == 3) stats.channels = 3;
      stats.bytes += static_cast<double>(bytes_of(sample));
      ++readable;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
    }
  }
  stats.bytes *= double(dataset.size()) / double(std::max<int64_t>(readable, 1));
  return stats;
}

/// Removes the rows of corrupt samples. REQUIRES: `corrupt` is ascending.
void remove_corrupt(std::vector<int64_t>& rows, const std::vector<CorruptSample>& corrupt) {
  if (rows.empty()) return;
  for (auto sample = corrupt.rbegin(); sample != corrupt.rend(); ++sample) {
    rows.erase(rows.begin() + sample->index);
  }
}

/// Decodes every sample, removes corrupt ones and caches the others in memory. Returns the number
/// of channels of the images.
int check_samples(OpenedDataset& opened, CorruptSampleRules rules, size_t memory,
                  const OpenContext& context) {
  CheckOptions options{.decoding = {context.threads, context.on_progress}, .memory_budget = memory};
  for (auto* part : splits_of(opened)) rules.total_samples += (*part)->size();
  int channels = 1;
  const auto check = [&](DatasetPtr& part, const char* name) {
    const auto checked = check_dataset(part, options);
    rules.split = name;
    rules.every_class = &part != &opened.test;  // classes may be missing from the test split
    check_corrupt_samples(*part, checked.corrupt, rules, context.logger);
    rules.corrupt_before += static_cast<int64_t>(checked.corrupt.size());
    options.memory_budget -= checked.bytes_in_memory;
    channels = std::max(channels, checked.channels);
    part = checked.dataset;
    if (&part == &opened.train) remove_corrupt(opened.changes.train_rows, checked.corrupt);
    return static_cast<int64_t>(checked.corrupt.size());
  };
  opened.skipped_train = check(opened.train, "training split");
  opened.skipped_test = check(opened.test, "test split");
  if (opened.reference) check(opened.reference, "labeled split");
  return channels;
}

/// Caches the samples in memory if they fit, and converts images to a common number of channels.
void materialize(OpenedDataset& opened, const DatasetOptions& options, const OpenContext& context) {
  SampleStats all;
  for (auto* part : splits_of(opened)) {
    const auto stats = probe_samples(**part);
    all.bytes += stats.bytes;
    all.channels = std::max(all.channels, stats.channels);
  }
  const bool fits = all.bytes <= static_cast<double>(memory_budget(options));
  if (fits || options.strict) {
    all.channels =
        check_samples(opened, {.strict = options.strict, .max_corrupt = corrupt_limit(options)},
                      fits ? memory_budget(options) : 0, context);
  }
  if (context.logger && fits) {
    context.logger->info("caching {:.0f} MB of decoded samples in memory", all.bytes / 1e6);
  } else if (context.logger) {
    context.logger->info(
        "{:.0f} MB of decoded samples exceed dataset.memory_mb: reading files in each epoch",
        all.bytes / 1e6);
  }
  if (opened.train->kind() != SampleKind::kImage) return;
  for (auto* part : splits_of(opened)) *part = with_channels(*part, all.channels);
}

void log_dataset(const DatasetSplit& split, const Logger& logger) {
  if (!logger) return;
  logger->info("layout: {} ({})", split.layout.name, split.layout.reason);
  logger->info("split: {}, {}, {}", counted(split.train->size(), "training sample"),
               counted(split.test->size(), "test sample"),
               counted(split.test->class_names().size(), "class", "classes"));
  for (const auto& warning : split.warnings) logger->warn("{}", warning);
  for (const auto& remark : split.remarks) logger->info("{}", remark);
}

void warn_about_untested_classes(const Dataset& test, const Logger& logger) {
  if (!logger) return;
  const auto counts = class_counts(test);
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) {
      logger->warn("class '{}' has no samples in the test split", test.class_names()[c]);
    }
  }
}

/// Labels with the noise that the run with this split drew: samples that were not relabeled since
/// keep their noisy labels, regardless of missing samples.
std::vector<int64_t> noisy_labels(const OpenedDataset& opened, const StoredSplit* stored,
                                  const LabelNoiseOptions& noise) {
  const auto& clean = opened.clean_train_labels;
  const auto classes = static_cast<int64_t>(opened.train->class_names().size());
  if (stored == nullptr || stored->class_names != opened.test->class_names()) {
    return add_label_noise(clean, classes, noise);
  }
  const auto before = add_label_noise(stored->train.labels, classes, noise);
  auto labels = clean;
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t row = opened.changes.train_rows[i];
    if (row < 0 || stored->train.labels[static_cast<size_t>(row)] != clean[i]) continue;
    labels[i] = before[static_cast<size_t>(row)];
  }
  return labels;
}

void add_label_noise(OpenedDataset& opened, const LabelNoiseOptions& noise,
                     const StoredSplit* stored) {
  if (noise.rate == 0) return;
  opened.clean_train_labels = labels_of(*opened.train);
  opened.train =
      std::make_shared<RelabeledDataset>(opened.train, noisy_labels(opened, stored, noise));
}

void add_feature_noise(OpenedDataset& opened, FeatureNoiseOptions noise) {
  if (noise.deviation == 0) return;
  const uint64_t seed = noise.seed;
  noise.seed = derive_seed(seed, kTrainNoiseSeed);
  opened.train = with_feature_noise(opened.train, noise);
  if (opened.reference) opened.reference = with_feature_noise(opened.reference, noise);
  if (!noise.test) return;
  noise.seed = derive_seed(seed, kTestNoiseSeed);
  opened.test = with_feature_noise(opened.test, noise);
}

}  // namespace

OpenedDataset open_dataset(const DatasetOptions& options, const OpenContext& context) {
  OpenedDataset opened;
  opened.root = find_dataset(options, context);
  auto all_ids = open_splits(opened, options, context);
  opened.max_corrupt = corrupt_limit(options);
  log_dataset(opened, context.logger);
  if (opened.train->kind() == SampleKind::kSound) {
    opened.sound = normalize_clips(opened, context.sound);
  }
  if (!dataset_entry(options.name).in_memory) materialize(opened, options, context);
  warn_about_untested_classes(*opened.test, context.logger);
  if (context.record_split) {
    opened.split = std::make_shared<StoredSplit>(describe_split(opened, std::move(all_ids)));
  }
  add_feature_noise(opened, options.feature_noise);
  add_label_noise(opened, options.label_noise, context.stored_split.get());
  return opened;
}

DatasetSplit open_unchecked_dataset(const DatasetOptions& options, const OpenContext& context) {
  auto split = open_layout(options, find_dataset(options, context), context);
  check_noise(split, options);
  limit_splits(split, options, context.seed);
  return split;
}

}  // namespace projnce::dataset
