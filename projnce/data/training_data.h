#pragma once

#include <cstdint>
#include <vector>

#include "projnce/config/input_options.h"
#include "projnce/config/run_config.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/dataset/wrappers/clips.h"

namespace projnce::data {

/// Indices of the samples that a validation part of this share takes, ascending: of every class,
/// those whose names have the smallest hashes. Neither the order of the samples nor a seed matters,
/// and adding or removing other samples changes few. A class of two or more samples keeps at least
/// one and gives at least one; a class of one gives none. REQUIRES: 0 < fraction < 1.
std::vector<int64_t> draw_validation(const dataset::Dataset& samples, double fraction);

/// Takes the validation part out of the labeled samples of `opened` (and the same samples out of
/// the training part, if that has them under other labels) and returns it. Throws if no class has
/// two samples.
dataset::DatasetPtr hold_out_validation(dataset::OpenedDataset& opened, double fraction);

/// The data of a run, opened and checked, and the form in which it reaches the encoder.
struct TrainingData {
  dataset::OpenedDataset dataset;
  config::InputOptions input;
  /// What models are judged on, in the form that they take (sounds as spectrograms): the labeled
  /// samples that class centroids are taken from, and the test part.
  dataset::DatasetPtr reference;
  dataset::DatasetPtr test_part;
  dataset::DatasetPtr validation = nullptr;  ///< null if train.validation is 0

  const dataset::Dataset& train() const { return *dataset.train; }
  const dataset::Dataset& test() const { return *dataset.test; }
  /// Of the labels that are trained on.
  int64_t train_classes() const { return static_cast<int64_t>(train().class_names().size()); }
  /// Of the labels that models are judged by.
  const std::vector<std::string>& class_names() const { return reference->class_names(); }
};

/// Opens the dataset, takes train.validation of the training part away, and finds out about the
/// input what the configuration does not say. Of `context`, seed, threads and the form of sounds
/// are replaced by the run's; samples are checked behind a progress bar.
TrainingData open_training_data(const config::RunConfig& config, int threads,
                                dataset::OpenContext context);

/// What [dataset] is opened with in a run with these settings, here and by `projnce data`: both see
/// the same split.
dataset::OpenContext run_context(dataset::OpenContext context, const config::RunSettings& settings,
                                 int threads);

/// Single files as samples of the kind and form that `input` describes.
dataset::DatasetPtr open_files(const std::vector<std::filesystem::path>& files,
                               const config::InputOptions& input);

/// Samples as models take them when nothing is random: sounds, which are at `input`'s rate and
/// length already, become spectrograms; the others stay. `cache` may be null.
dataset::DatasetPtr as_model_input(dataset::DatasetPtr samples, const config::InputOptions& input,
                                   dataset::FeatureCachePtr cache);

/// The cache of spectrograms in the user's cache folder; null where there is no such folder.
dataset::FeatureCachePtr open_feature_cache(const dataset::OpenContext& context);

}  // namespace projnce::data
