#pragma once

#include "projnce/dataset/open_dataset.h"
#include "projnce/dataset/spectrograms.h"
#include "projnce/pipeline/input_options.h"
#include "projnce/pipeline/run_config.h"

namespace projnce {

/// The data of a run, opened and checked, and the form in which it reaches the encoder.
struct TrainingData {
  OpenedDataset dataset;
  InputOptions input;
  /// What models are judged on, in the form that they take (sounds as spectrograms): the labelled
  /// samples that class centroids are taken from, and the test part.
  DatasetPtr known;
  DatasetPtr judged;
  DatasetPtr validation = nullptr;  ///< null if train.validation is 0

  const Dataset& train() const { return *dataset.train; }
  const Dataset& test() const { return *dataset.test; }
  /// Of the labels that are trained on.
  int64_t train_classes() const { return static_cast<int64_t>(train().class_names().size()); }
  /// Of the labels that models are judged by.
  const std::vector<std::string>& class_names() const { return known->class_names(); }
};

/// Opens the dataset, takes train.validation of the training part away, and finds out about the
/// input what the configuration does not say. Of `context`, seed, threads and the form of sounds
/// are replaced by the run's; samples are checked behind a progress bar.
TrainingData open_training_data(const RunConfig& config, int threads, OpenContext context);

/// What [dataset] is opened with in a run with these settings, here and by `projnce data`: both see
/// the same split.
OpenContext run_context(OpenContext context, const RunSettings& settings, int threads);

/// Single files as samples of the kind and form that `input` describes.
DatasetPtr open_files(const std::vector<std::filesystem::path>& files, const InputOptions& input);

/// Samples as models take them when nothing is random: sounds, which are at `input`'s rate and
/// length already, become spectrograms; the others stay. `cache` may be null.
DatasetPtr as_model_input(DatasetPtr samples, const InputOptions& input, FeatureCachePtr cache);

/// The cache of spectrograms in the user's cache folder; null where there is no such folder.
FeatureCachePtr open_feature_cache(const OpenContext& context);

}  // namespace projnce
