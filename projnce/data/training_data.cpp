#include "projnce/data/training_data.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/wrappers/wrappers.h"

namespace projnce::data {

namespace {

/// Sample ordered by the hash of its name.
struct HashedSample {
  uint64_t hash;
  std::string name;
  int64_t index;

  bool operator<(const HashedSample& other) const {
    return std::tie(hash, name, index) < std::tie(other.hash, other.name, other.index);
  }
};

std::vector<int64_t> complement(int64_t count, const std::vector<int64_t>& taken) {
  std::vector<int64_t> rest;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::binary_search(taken.begin(), taken.end(), i)) rest.push_back(i);
  }
  return rest;
}

/// Labels of the samples `chosen`; empty if `labels` is.
std::vector<int64_t> select_labels(const std::vector<int64_t>& labels,
                                   const std::vector<int64_t>& chosen) {
  std::vector<int64_t> selected;
  if (labels.empty()) return selected;
  for (const int64_t i : chosen) selected.push_back(labels[static_cast<size_t>(i)]);
  return selected;
}

/// Restricts the training split and its clean labels to the samples `kept`.
void keep_training_samples(dataset::OpenedDataset& opened, const std::vector<int64_t>& kept) {
  opened.clean_train_labels = select_labels(opened.clean_train_labels, kept);
  opened.train = std::make_shared<dataset::SubsetDataset>(opened.train, kept);
}

/// Indices of the training samples whose names are not in `taken`.
std::vector<int64_t> not_in(const dataset::Dataset& train, const dataset::Dataset& taken) {
  std::unordered_set<std::string> names;
  for (int64_t i = 0; i < taken.size(); ++i) names.insert(taken.sample_name(i));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < train.size(); ++i) {
    if (!names.contains(train.sample_name(i))) kept.push_back(i);
  }
  return kept;
}

}  // namespace

std::vector<int64_t> draw_validation(const dataset::Dataset& samples, double fraction) {
  std::vector<std::vector<HashedSample>> classes(samples.class_names().size());
  for (int64_t i = 0; i < samples.size(); ++i) {
    auto name = samples.sample_name(i);
    const uint64_t hash = XXH3_64bits(name.data(), name.size());
    classes.at(static_cast<size_t>(samples.label(i))).push_back({hash, std::move(name), i});
  }
  std::vector<int64_t> drawn;
  for (auto& members : classes) {
    if (members.size() < 2) continue;
    std::sort(members.begin(), members.end());
    const auto size = static_cast<int64_t>(members.size());
    const int64_t rounded = std::llround(fraction * static_cast<double>(size));
    const int64_t count = std::clamp<int64_t>(rounded, 1, size - 1);
    for (int64_t i = 0; i < count; ++i) drawn.push_back(members[static_cast<size_t>(i)].index);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

HeldOutSamples hold_out_validation(dataset::OpenedDataset& opened, double fraction) {
  const auto labeled = opened.reference ? opened.reference : opened.train;
  const auto drawn = draw_validation(*labeled, fraction);
  if (drawn.empty()) {
    fail(Hint{"set train.validation = 0, or add samples"}, "[train] validation = ", fraction,
         ": no class has two training samples to hold out one");
  }
  HeldOutSamples validation{.samples = std::make_shared<dataset::SubsetDataset>(labeled, drawn)};
  const auto kept = complement(labeled->size(), drawn);
  if (!opened.reference) {
    validation.clean_labels = select_labels(opened.clean_train_labels, drawn);
    keep_training_samples(opened, kept);
    return validation;
  }
  opened.reference = std::make_shared<dataset::SubsetDataset>(labeled, kept);
  // Coarse labels belong to the same samples; unlabeled training samples are different ones.
  if (!opened.unlabeled) {
    keep_training_samples(opened, not_in(*opened.train, *validation.samples));
  }
  return validation;
}

namespace {

/// Returns a callback that shows a progress bar for each checked split.
std::function<void(int64_t, int64_t)> make_check_progress() {
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  return [bar](int64_t done, int64_t total) {
    if (!*bar) *bar = std::make_unique<Progress>("checking samples", total, "samples");
    (*bar)->update(done);
    if (done == total) bar->reset();
  };
}

}  // namespace

dataset::OpenContext run_context(dataset::OpenContext context, const config::RunSettings& settings,
                                 int threads) {
  context.seed = static_cast<uint64_t>(settings.seed);
  context.threads = threads;
  if (!settings.data_root.empty()) context.data_root = settings.data_root;
  return context;
}

TrainingData open_training_data(const config::RunConfig& config, int threads,
                                dataset::OpenContext context) {
  auto settings = config.input;
  const auto requested = config::input_options(settings);
  context = run_context(std::move(context), config.run, threads);
  if (context.logger && context.logger->should_log(spdlog::level::info))
    context.on_progress = make_check_progress();
  context.audio = requested.clip_format();
  TrainingData data{.dataset = dataset::open_dataset(config.dataset, context),
                    .input = requested,
                    .reference = {},
                    .test_split = {}};
  auto& opened = data.dataset;
  const double share = config.train.validation;
  if (share > 0) data.held_out = hold_out_validation(opened, share);
  if (opened.train->kind() == SampleKind::kAudio) {
    data.input.mel.seconds = opened.audio.seconds;
    settings.audio = data.input.mel;
  }
  const auto cache = open_feature_cache(context);
  const auto for_model = [&](const dataset::DatasetPtr& part) {
    return as_model_input(part, data.input, cache);
  };
  data.reference = for_model(opened.reference ? opened.reference : opened.train);
  data.test_split = for_model(opened.test);
  if (data.held_out.samples) data.validation = for_model(data.held_out.samples);
  data.input = config::resolve_input(settings, *for_model(opened.train), threads);
  if (cache && context.logger && !cache->first_failure().empty()) {
    context.logger->warn("cannot cache spectrograms: {}", cache->first_failure());
  }
  return data;
}

dataset::DatasetPtr open_files(const std::vector<std::filesystem::path>& files,
                               const config::InputOptions& input) {
  const auto list = std::make_shared<dataset::FileList>(files, input.kind);
  return input.kind == SampleKind::kAudio ? dataset::prepare_clips(list, input.clip_format())
                                          : list;
}

dataset::DatasetPtr as_model_input(dataset::DatasetPtr samples, const config::InputOptions& input,
                                   dataset::FeatureCachePtr cache) {
  if (samples->kind() != SampleKind::kAudio) return samples;
  return dataset::to_spectrograms(std::move(samples), input.mel, std::move(cache));
}

dataset::FeatureCachePtr open_feature_cache(const dataset::OpenContext& context) {
  if (context.cache_home.empty()) return nullptr;
  return std::make_shared<io::FeatureCache>(context.cache_home / "projnce" / "features");
}

}  // namespace projnce::data
