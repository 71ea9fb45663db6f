#include "projnce/run/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/names.h"
#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/dataset/labels.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/information_report.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/run/batch_samples.h"
#include "projnce/run/delivery.h"
#include "projnce/run/metrics_writer.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::run {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kMinLogsPerEpoch = 4;  // so that short epochs have a curve too

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Decodes all background noise clips; they are few enough to stay in memory.
augment::BackgroundClips background_clips(const dataset::DatasetSplit& split,
                                          const Logger& logger) {
  if (!split.background) return {};
  std::vector<Clip> clips;
  for (int64_t i = 0; i < split.background->size(); ++i) {
    try {
      clips.push_back(std::get<Clip>(split.background->decode(i)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      logger->warn("skipped a background noise clip: {}", error.what());
    }
  }
  return std::make_shared<const std::vector<Clip>>(std::move(clips));
}

loader::TrainLoaderOptions loader_options(const TrainingComponents& components, int threads,
                                          const Logger& logger) {
  const auto& train = components.config.train;
  return {.batch_size = train.batch_size,
          .format = components.data.input.format(),
          .augment = components.config.augment,
          .seed = static_cast<uint64_t>(components.config.run.seed),
          .threads = train.loader_threads < 0 ? threads : train.loader_threads,
          .balanced = train.balanced,
          .epochs = train.epochs,
          .share = {.part = components.ranks->rank(), .parts = components.ranks->size()},
          .background = background_clips(components.data.dataset, logger),
          .logger = logger,
          .max_corrupt = components.data.dataset.max_corrupt};
}

inference::EvaluatorSettings evaluator_settings(const TrainingComponents& components, int threads,
                                                const TrainEnvironment& environment) {
  return {.options = components.config.eval,
          .temperature = inference::loss_temperature(components.config.loss),
          .threads = threads,
          .logger = environment.logger,
          .ranks = components.ranks,
          .stop_requested = environment.stop_requested};
}

}  // namespace

TrainingRun::TrainingRun(const TrainingComponents& components, const TrainEnvironment& environment,
                         RunMetadata metadata)
    : config_(components.config),
      data_(components.data),
      model_(components.model),
      loss_(components.loss),
      ranks_(components.ranks),
      environment_(environment),
      metadata_(std::move(metadata)),
      options_(config_.train),
      eval_options_(config_.eval),
      report_options_(config_.report),
      threads_(static_cast<int>(config_.run.threads)),
      loader_(data_.dataset.train, loader_options(components, threads_, environment.logger)),
      trainer_(model_, loss_, loader_, options_, ranks_, components.device),
      log_every_(std::min(options_.log_every,
                          std::max<int64_t>(1, loader_.batches_per_epoch() / kMinLogsPerEpoch))),
      evaluator_(data_, evaluator_settings(components, threads_, environment)),
      environment_info_(reproducibility_info(threads_, ranks_->size(), components.device)) {
  if (!ranks_->is_rank_zero()) return;  // only rank 0 reads checkpoints
  std::vector<const dataset::Dataset*> all = {&data_.train(), &data_.test()};
  if (data_.validation) all.push_back(data_.validation.get());
  data_ids_ = {{"samples", data_fingerprint(all)}, {"files", file_fingerprint(all)}};
  // The fingerprints must not depend on the settings of the run: use clean labels, and exclude the
  // contents if noise was added to them or audio was cropped to the length of the run.
  const bool with_contents =
      config_.dataset.feature_noise.deviation == 0 && data_.test().kind() != SampleKind::kSound;
  split_fingerprints_ = {
      {"train_fingerprint",
       split_fingerprint(data_.train(), data_.dataset.clean_train_labels, false)},
      {"test_fingerprint", split_fingerprint(data_.test(), {}, with_contents)}};
}

void TrainingRun::start(const io::RunPaths& paths) {
  open_files(paths);
  train::broadcast_training(parts(), *ranks_);
  log_setup();
}

torch::Tensor TrainingRun::labels_table() const {
  const auto used = dataset::labels_of(data_.train());
  const auto& clean = data_.dataset.clean_train_labels;
  return torch::stack({torch::tensor(used), torch::tensor(clean.empty() ? used : clean)}, 1);
}

void TrainingRun::resume(const io::RunPaths& paths,
                         const std::optional<checkpoint::Checkpoint>& checkpoint, bool force) {
  if (checkpoint) {
    restore(*checkpoint, force);
  } else if (ranks_->is_rank_zero()) {
    environment_.logger->warn("no usable checkpoint: starting from the beginning");
  }
  open_files(paths);
  train::broadcast_training(parts(), *ranks_);
  const auto* state = checkpoint ? &checkpoint->state : nullptr;
  train::set_random_state(train::saved_random_state(state, *ranks_));
  const auto& device = trainer_.device();
  if (!device.is_cpu()) {
    train::set_random_state(train::saved_random_state(state, *ranks_, device), device);
  }
  environment_.logger->info("resuming at epoch {}, step {}", trainer_.state().epoch + 1,
                            trainer_.state().step);
  log_setup();
}

void TrainingRun::restore(const checkpoint::Checkpoint& checkpoint, bool force) {
  train::restore_training(parts(), checkpoint.state);  // throws if it is not a training checkpoint
  const auto& metadata = checkpoint.state.metadata;
  const auto conditions = parse_json(metadata.at("conditions"), checkpoint.path.string());
  check_data(conditions.at("data"), force);
  progress_ = progress_from_text(metadata.at("run"));
  last_good_ = checkpoint.path;
  const auto changes = reproducibility_changes(
      conditions.at("made_with").get<ReproducibilityInfo>(), environment_info_);
  if (!changes.empty()) {
    environment_.logger->warn("resuming, but not bit-for-bit: {}", changes);
  }
}

void TrainingRun::check_data(const nlohmann::json& before, bool force) const {
  const bool same = before.at("samples") == data_ids_.at("samples");
  if (!same && !force) {
    fail(Hint{"restore the original data, or use --force to resume with the current data"},
         "the data has changed since the run was started: samples or labels differ");
  }
  if (!same) {
    environment_.logger->warn("resuming with changed data");
  } else if (before.at("files") != data_ids_.at("files")) {
    environment_.logger->warn("data files were moved, copied or modified since the checkpoint");
  }
}

void TrainingRun::open_files(const io::RunPaths& paths) {
  paths_ = paths;
  last_checkpoint_ = now_seconds();
  if (!ranks_->is_rank_zero()) return;
  io::remove_leftovers(paths_);
  io::write_file_atomically(paths_.config(), config::to_toml(config_));
  std::filesystem::remove(paths_.summary());  // a resumed run is not finished
  inference::write_array(paths_.train_labels(), labels_table());
  if (metadata_.split) dataset::write_split(paths_.split(), *metadata_.split);
  if (metadata_.data) {
    io::write_file_atomically(paths_.data(), data::data_json(*metadata_.data).dump(2) + "\n");
  }
  if (std::filesystem::exists(paths_.log()) && !std::filesystem::is_regular_file(paths_.log())) {
    fail(paths_.log().string(), " is not a regular file");  // opening a pipe would block
  }
  log_to_file(environment_.logger, paths_.log());
  record_command(paths_, metadata_.command);
  metrics_writer_.emplace(paths_,
                          MetricsWriterOptions{.keep_bytes = progress_.metrics_bytes,
                                               .keep_steps = trainer_.state().step,
                                               .events = report_options_.events,
                                               .live = metadata_.live},
                          environment_.logger);
  checkpoints_ = std::make_unique<checkpoint::CheckpointWriter>(
      checkpoint::CheckpointDir(paths_.checkpoints(), {options_.keep_checkpoints}),
      environment_.logger);
}

void TrainingRun::log_setup() const {
  int64_t weights = 0;
  for (const auto& parameter : model_->parameters()) weights += parameter.numel();
  const int64_t rows = std::min(options_.batch_size, data_.train().size()) * loader_.views();
  const auto features = torch::zeros({1, model_->feature_dim()}, trainer_.device());
  const bool classifier = loss_->logits(features).defined();
  const double chance = std::log(double(classifier ? data_.train_classes() : rows - 1));
  auto& log = *environment_.logger;
  const auto shape = data_.input.shape();
  log.info("{}, {}, {}; input shape {} x {} x {}", counted(data_.train().size(), "training sample"),
           counted(data_.test().size(), "test sample"),
           counted(data_.class_names().size(), "class", "classes"), shape.channels, shape.height,
           shape.width);
  if (data_.validation) {
    log.info("{}, used to choose the epoch and the readout",
             counted(data_.validation->size(), "validation sample"));
  }
  log.info("{} with {}, {:.2f} M parameters; loss {} (chance level {:.2f})", config_.encoder.name,
           model_->encoder().describe(), double(weights) / 1e6, config_.loss.name, chance);
  const auto& device = trainer_.device();
  log.info("{} of {} on {}{}{}", counted(options_.epochs, "epoch"),
           counted(loader_.batches_per_epoch(), "batch", "batches"),
           device.is_cpu() ? "" : device.str() + " with ", counted(threads_, "thread"),
           ranks_->size() > 1 ? fmt::format(" on each of {} ranks", ranks_->size()) : "");
}

TrainOutcome TrainingRun::finish() {
  epoch_started_ = now_seconds();
  if (ranks_->is_rank_zero())
    bar_.emplace("training", options_.epochs * data_.train().size(), "samples");
  const auto end = run_trainer();
  bar_.reset();
  TrainOutcome outcome{.run = paths_.root, .finished = end == train::TrainEnd::kFinished};
  if (end == train::TrainEnd::kStopped) {
    progress_.train_seconds += now_seconds() - epoch_started_;
    save_checkpoint();
  } else if (!load_delivered_epoch()) {
    outcome.finished = false;
  } else {
    write_results();
  }
  if (checkpoints_) {
    checkpoints_->finish();
    outcome.lost_checkpoints = checkpoints_->failures();
  }
  return outcome;
}

train::TrainEnd TrainingRun::run_trainer() {
  try {
    return trainer_.run({.on_step = [this](const auto& report) { on_step(report); },
                         .on_nonfinite = [this](const auto& step) { on_nonfinite(step); },
                         .on_epoch = [this](const auto& report) { on_epoch(report); },
                         .stop_requested = environment_.stop_requested,
                         .wants_checkpoint = [this] { return wants_checkpoint(); },
                         .on_checkpoint = [this] { save_checkpoint(); }});
  } catch (const inference::EvaluationStopped&) {
    return train::TrainEnd::kStopped;  // the state is that of before the evaluation
  } catch (const c10::OutOfMemoryError&) {
    fail_out_of_memory();
  }
}

void TrainingRun::on_step(const train::StepReport& report) {
  if (!ranks_->is_rank_zero()) return;
  const int64_t in_epoch = std::min((report.batch + 1) * options_.batch_size, data_.train().size());
  bar_->update(report.epoch * data_.train().size() + in_epoch,
               fmt::format("epoch {}/{}  loss {:.3f}", report.epoch + 1, options_.epochs,
                           report.values.at("loss")));
  if (report.spike) {
    bar_->finish();
    environment_.logger->warn("loss spike: {:.4f} at step {}", report.values.at("loss"),
                              report.step);
    metrics_writer_->append(report.step, report.epoch, "train", "spike",
                            {{"loss", report.values.at("loss")}});
  }
  if (report.step % log_every_ != 0) return;
  ordered_json value = report.values;
  value["learning_rate"] = report.learning_rate;
  value["gradient_norm"] = report.gradient_norm;
  metrics_writer_->append(report.step, report.epoch, "train", "step", value);
}

void TrainingRun::on_nonfinite(const train::NonfiniteStep& step) {
  if (bar_) bar_->finish();
  auto& log = *environment_.logger;
  const auto& report = step.report;
  const auto what =
      fmt::format("step {} of epoch {} has loss {} and gradient norm {}", report.step,
                  report.epoch + 1, report.values.at("loss"), std::fabs(report.gradient_norm));
  const auto samples = gather_samples(step.batch, *ranks_);
  if (ranks_->is_rank_zero()) {
    log.warn("{}; its samples: {}", what, join(sample_names(samples, data_.train())));
  }
  if (!step.stops) {
    log.info("skipped this step; weights unchanged");
    if (ranks_->is_rank_zero())
      metrics_writer_->append(report.step, report.epoch, "train", "skipped_step", {{"steps", 1}});
    return;
  }
  fail_runtime(Hint{"lower train.learning_rate, set train.clip_norm or train.warmup_epochs, or set "
                    "train.skip_nonfinite to skip such steps"},
               "training stopped: ", what, "; its samples are in the log", last_checkpoint_text());
}

void TrainingRun::on_epoch(const train::EpochReport& report) {
  const double trained = now_seconds() - epoch_started_;
  const bool last = report.epoch + 1 == options_.epochs;
  const bool evaluated = last || (report.epoch + 1) % eval_options_.every == 0;
  if (evaluated) evaluate(report);  // throws if stopped: write nothing before
  progress_.train_seconds += trained;
  if (ranks_->is_rank_zero()) append_epoch(report, evaluated);
  auto line = fmt::format("epoch {}/{}  loss {:.4f}", report.epoch + 1, options_.epochs,
                          report.means.at("loss"));
  if (evaluated) line += fmt::format("  accuracy {:.2f} %", 100 * progress_.last_accuracy);
  if (evaluated && last_evaluation_->validation) {
    line += fmt::format("  validation {:.2f} %", 100 * last_evaluation_->validation_accuracy);
  }
  if (evaluated && last_evaluation_->information) {
    line += "  " + inference::short_text(*last_evaluation_->information);
  }
  if (bar_) bar_->finish();
  environment_.logger->info("{}  {:.0f} s, {:.0f} samples/s", line, trained,
                            double(data_.train().size()) / trained);
  epoch_started_ = now_seconds();
}

void TrainingRun::evaluate(const train::EpochReport& report) {
  const double started = now_seconds();
  // Without synchronized batch norm, running statistics differ between ranks: use those of rank 0.
  for (auto& buffer : model_->buffers()) ranks_->broadcast(buffer);
  last_evaluation_ = evaluator_.evaluate(*model_, *loss_, eval_options_.protocols);
  progress_.eval_seconds += now_seconds() - started;
  if (!ranks_->is_rank_zero()) return;
  const auto& accuracy = last_evaluation_->accuracy();
  progress_.last_accuracy = accuracy.top1;
  progress_.last_top5 = accuracy.top5;
  const bool has_validation = last_evaluation_->validation.has_value();
  if (accuracy.top1 > progress_.best_accuracy) {
    progress_.best_accuracy = accuracy.top1;
    progress_.best_epoch = report.epoch + 1;
    if (!has_validation) best_unsaved_ = true;
  }
  // Ties go to the later epoch: a small validation split cannot separate good epochs, and more
  // training rarely hurts.
  if (has_validation && last_evaluation_->validation_accuracy >= progress_.validation_accuracy) {
    progress_.validation_accuracy = last_evaluation_->validation_accuracy;
    progress_.validation_epoch = report.epoch + 1;
    best_unsaved_ = true;
  }
}

void TrainingRun::append_epoch(const train::EpochReport& report, bool evaluated) {
  metrics_writer_->append(report.step, report.epoch, "train", "epoch", report.means);
  if (!evaluated) return;
  for (const auto& result : last_evaluation_->results) {
    metrics_writer_->append(report.step, report.epoch, "test", eval::protocol_name(result.protocol),
                            inference::brief_json(result));
  }
  if (last_evaluation_->validation) {
    metrics_writer_->append(report.step, report.epoch, "validation",
                            eval::protocol_name(last_evaluation_->results.front().protocol),
                            {{"top1", last_evaluation_->validation_accuracy}});
  }
  if (last_evaluation_->information) {
    metrics_writer_->append(report.step, report.epoch, "test", "information",
                            inference::bounds_json(*last_evaluation_->information));
  }
}

bool TrainingRun::wants_checkpoint() const {
  // The end of the epoch saves its own checkpoint.
  const auto& state = trainer_.state();
  if (state.batch >= loader_.batches_per_epoch()) return false;
  const bool by_steps =
      options_.checkpoint_every > 0 && state.step % options_.checkpoint_every == 0;
  const bool by_time = options_.checkpoint_minutes > 0 &&
                       now_seconds() - last_checkpoint_ > 60 * options_.checkpoint_minutes;
  return by_steps || by_time;
}

void TrainingRun::save_checkpoint() {
  auto state = train::collect_training(parts(), *ranks_);
  last_checkpoint_ = now_seconds();
  if (!ranks_->is_rank_zero()) return;
  progress_.metrics_bytes = metrics_writer_->metrics().bytes();
  state.metadata["run"] = to_text(progress_);
  state.metadata["conditions"] =
      nlohmann::json{{"made_with", environment_info_}, {"data", data_ids_}}.dump();
  state.metadata["config"] = config::to_toml(config_);
  checkpoints_->save({.step = trainer_.state().step,
                      .state = std::move(state),
                      .best = std::exchange(best_unsaved_, false),
                      .before = [this, behind = metrics_writer_->metrics().is_behind()] {
                        if (behind)
                          fail_runtime(
                              "metrics.jsonl is incomplete: some of its lines are not written yet");
                        metrics_writer_->metrics().sync();
                      }});
}

}  // namespace projnce::run
