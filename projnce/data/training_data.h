#pragma once

#include <cstdint>
#include <vector>

#include "projnce/config/input_options.h"
#include "projnce/config/run_config.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/dataset/wrappers/clips.h"

namespace projnce::data {

/// Returns the indices of a stratified validation split, ascending: from every class, the samples
/// whose names have the smallest hashes. Does not depend on a seed or the order of the samples, and
/// changes little if samples are added or removed. A class with two or more samples gives at least
/// one and keeps at least one; a class with one sample gives none. REQUIRES: 0 < fraction < 1.
std::vector<int64_t> draw_validation(const dataset::Dataset& samples, double fraction);

/// Validation split: samples as stored in the dataset, before conversion to model input.
struct HeldOutSamples {
  dataset::DatasetPtr samples = nullptr;
  std::vector<int64_t> clean_labels = {};  ///< before label noise; empty without label noise
};

/// Removes a validation split from the labeled samples of `opened` and returns it. Also removes its
/// samples from the training split, if that has them with other labels. Throws if no class has two
/// samples.
HeldOutSamples hold_out_validation(dataset::OpenedDataset& opened, double fraction);

/// Opened and checked data of a run, with the input format of the encoder.
struct TrainingData {
  dataset::OpenedDataset dataset;
  config::InputOptions input;
  /// Data for evaluation, in the input format of the model (audio as spectrograms): labeled samples
  /// for the class centroids, and the test split.
  dataset::DatasetPtr reference;
  dataset::DatasetPtr test_split;
  dataset::DatasetPtr validation = nullptr;  ///< null if train.validation is 0
  HeldOutSamples held_out = {};              ///< source of `validation`

  const dataset::Dataset& train() const { return *dataset.train; }
  const dataset::Dataset& test() const { return *dataset.test; }
  /// Number of classes used in training.
  int64_t train_classes() const { return static_cast<int64_t>(train().class_names().size()); }
  /// Classes used in evaluation.
  const std::vector<std::string>& class_names() const { return reference->class_names(); }
};

/// Opens the dataset, holds out train.validation of the training split, and infers missing input
/// settings. Replaces seed, threads and audio format of `context` by those of the run. Shows a
/// progress bar while checking samples.
TrainingData open_training_data(const config::RunConfig& config, int threads,
                                dataset::OpenContext context);

/// Context to open [dataset] in a run with these settings. Also used by `projnce data`, so that
/// both have the same split.
dataset::OpenContext run_context(dataset::OpenContext context, const config::RunSettings& settings,
                                 int threads);

/// Opens single files as samples of the kind and format of `input`.
dataset::DatasetPtr open_files(const std::vector<std::filesystem::path>& files,
                               const config::InputOptions& input);

/// Converts samples to model input without augmentation: audio, already with the rate and length of
/// `input`, to spectrograms; other kinds are unchanged. `cache` may be null.
dataset::DatasetPtr as_model_input(dataset::DatasetPtr samples, const config::InputOptions& input,
                                   dataset::FeatureCachePtr cache);

/// Opens the spectrogram cache in the user's cache directory; null if there is none.
dataset::FeatureCachePtr open_feature_cache(const dataset::OpenContext& context);

}  // namespace projnce::data
