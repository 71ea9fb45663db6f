#include "projnce/pipeline/training_data.h"

#include <memory>
#include <utility>

#include "projnce/core/progress.h"
#include "projnce/dataset/file_list.h"
#include "projnce/pipeline/validation_part.h"

namespace projnce {

namespace {

/// A bar for each part of the data that is checked.
std::function<void(int64_t, int64_t)> show_checking() {
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  return [bar](int64_t done, int64_t total) {
    if (!*bar) *bar = std::make_unique<Progress>("checking samples", total, "samples");
    (*bar)->update(done);
    if (done == total) bar->reset();
  };
}

}  // namespace

OpenContext run_context(OpenContext context, const RunSettings& settings, int threads) {
  context.seed = static_cast<uint64_t>(settings.seed);
  context.threads = threads;
  if (!settings.data_root.empty()) context.data_root = settings.data_root;
  return context;
}

TrainingData open_training_data(const RunConfig& config, int threads, OpenContext context) {
  auto settings = config.input;
  const auto asked = input_options(settings);
  context = run_context(std::move(context), config.run, threads);
  if (context.logger && context.logger->should_log(spdlog::level::info))
    context.on_progress = show_checking();
  context.sound = asked.clip_format();
  TrainingData data{
      .dataset = open_dataset(config.dataset, context), .input = asked, .known = {}, .judged = {}};
  auto& opened = data.dataset;
  const double share = config.train.validation;
  const auto validation = share > 0 ? hold_out_validation(opened, share) : nullptr;
  if (opened.train->kind() == SampleKind::kSound) {
    data.input.mel.seconds = opened.sound.seconds;
    settings.sound = data.input.mel;
  }
  const auto cache = open_feature_cache(context);
  const auto for_model = [&](const DatasetPtr& part) {
    return as_model_input(part, data.input, cache);
  };
  data.known = for_model(opened.known ? opened.known : opened.train);
  data.judged = for_model(opened.test);
  if (validation) data.validation = for_model(validation);
  data.input = resolve_input(settings, *for_model(opened.train), threads);
  if (cache && context.logger && !cache->first_failure().empty()) {
    context.logger->warn("spectrograms are not kept for the next run: {}", cache->first_failure());
  }
  return data;
}

DatasetPtr open_files(const std::vector<std::filesystem::path>& files, const InputOptions& input) {
  const auto list = std::make_shared<FileList>(files, input.kind);
  return input.kind == SampleKind::kSound ? prepare_clips(list, input.clip_format()) : list;
}

DatasetPtr as_model_input(DatasetPtr samples, const InputOptions& input, FeatureCachePtr cache) {
  if (samples->kind() != SampleKind::kSound) return samples;
  return spectrograms_of(std::move(samples), input.mel, std::move(cache));
}

FeatureCachePtr open_feature_cache(const OpenContext& context) {
  if (context.cache_home.empty()) return nullptr;
  return std::make_shared<FeatureCache>(context.cache_home / "projnce" / "features");
}

}  // namespace projnce
