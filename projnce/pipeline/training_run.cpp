#include "projnce/pipeline/training_run.h"

#include <chrono>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/dataset/labels.h"
#include "projnce/information/entropy.h"
#include "projnce/io/atomic_file.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/run_results.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/train/training_checkpoint.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TrainLoaderOptions loader_options(Table& config, const RunSettings& settings,
                                  const TrainOptions& train, const InputOptions& input, int threads,
                                  BackgroundClips background, const Logger& logger) {
  return {.batch_size = train.batch_size,
          .format = input.format(),
          .augment = read_augment_options(config.tables["augment"]),
          .seed = static_cast<uint64_t>(settings.seed),
          .threads = threads,
          .balanced = train.balanced,
          .epochs = train.epochs,
          .background = background,
          .logger = logger};
}

/// Background noises are few: all of them stay in memory.
BackgroundClips background_clips(const DatasetSplit& split, const Logger& logger) {
  if (!split.background) return {};
  std::vector<Clip> clips;
  for (int64_t i = 0; i < split.background->size(); ++i) {
    try {
      clips.push_back(std::get<Clip>(split.background->decode(i)));
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
      logger->warn("a background noise is left out: {}", error.what());
    }
  }
  return std::make_shared<const std::vector<Clip>>(std::move(clips));
}

std::string to_text(const RunProgress& p) {
  return ordered_json{{"metrics_bytes", p.metrics_bytes}, {"last_accuracy", p.last_accuracy},
                      {"best_accuracy", p.best_accuracy}, {"best_epoch", p.best_epoch},
                      {"train_seconds", p.train_seconds}, {"eval_seconds", p.eval_seconds}}
      .dump();
}

ordered_json with_entropy(const std::map<std::string, double>& means, double entropy) {
  ordered_json value = means;
  value["label_entropy"] = entropy;
  return value;
}

RunProgress progress_from_text(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.metrics_bytes = json.at("metrics_bytes"),
            .last_accuracy = json.at("last_accuracy"),
            .best_accuracy = json.at("best_accuracy"),
            .best_epoch = json.at("best_epoch"),
            .train_seconds = json.at("train_seconds"),
            .eval_seconds = json.at("eval_seconds")};
  } catch (const nlohmann::json::exception& error) {
    fail("the checkpoint's run state cannot be read: ", error.what());
  }
}

}  // namespace

TrainingRun::TrainingRun(Table& config, const RunSettings& settings, const TrainingData& data,
                         EmbeddingModelPtr model, LossPtr loss, const TrainEnvironment& environment)
    : config_(config),
      data_(data),
      model_(std::move(model)),
      loss_(std::move(loss)),
      environment_(environment),
      options_(read_train_options(config.tables["train"])),
      eval_options_(read_eval_options(config.tables["eval"])),
      threads_(static_cast<int>(std::get<int64_t>(config.values.at("threads").data))),
      loader_(data.dataset.train, loader_options(config, settings, options_, data.input, threads_,
                                                 background_clips(data.dataset, environment.logger),
                                                 environment.logger)),
      trainer_(model_, loss_, loader_, options_),
      evaluator_(data, eval_options_, loss_temperature(config), threads_, environment.logger),
      label_entropy_(label_entropy(torch::tensor(labels_of(data.train())))) {}

void TrainingRun::start(const RunPaths& paths) {
  open_files(paths);
  write_file_atomically(paths_.config(), to_toml(config_));
  write_array(paths_.train_labels(), labels_table());
  announce();
}

torch::Tensor TrainingRun::labels_table() const {
  const auto used = labels_of(data_.train());
  const auto& clean = data_.dataset.clean_train_labels;
  return torch::stack({torch::tensor(used), torch::tensor(clean.empty() ? used : clean)}, 1);
}

void TrainingRun::resume(const RunPaths& paths) {
  const auto newest = CheckpointDir(paths.checkpoints()).newest_valid();
  for (const auto& damaged : newest.damaged) {
    environment_.logger->warn("passed over a damaged checkpoint: {}", damaged.reason);
  }
  if (newest.checkpoint) {
    const auto& state = newest.checkpoint->state;
    restore_training(*model_, *loss_, trainer_, state);
    progress_ = progress_from_text(state.metadata.at("run"));
  } else {
    environment_.logger->info("no checkpoint yet: starting from the beginning");
  }
  open_files(paths);
  environment_.logger->info("resuming at epoch {}, step {}", trainer_.state().epoch + 1,
                            trainer_.state().step);
  announce();
}

void TrainingRun::open_files(const RunPaths& paths) {
  paths_ = paths;
  log_to_file(environment_.logger, paths_.log());
  metrics_.emplace(paths_.metrics(), progress_.metrics_bytes);
  checkpoints_.emplace(paths_.checkpoints(), CheckpointDirOptions{options_.keep_checkpoints});
}

void TrainingRun::announce() const {
  int64_t weights = 0;
  for (const auto& parameter : model_->parameters()) weights += parameter.numel();
  const int64_t rows = std::min(options_.batch_size, data_.train().size()) * loader_.views();
  const bool classifier = loss_->logits(torch::zeros({1, model_->feature_dim()})).defined();
  const double chance = std::log(double(classifier ? data_.train_classes() : rows - 1));
  auto& log = *environment_.logger;
  const auto shape = data_.input.shape();
  log.info("{} training and {} test samples of {} classes; inputs of {} x {} x {}",
           data_.train().size(), data_.test().size(), data_.class_names().size(), shape.channels,
           shape.height, shape.width);
  log.info("{} with {}, {:.2f} M weights; loss {}, about {:.2f} by chance",
           text_setting(config_, "encoder", "name"), model_->encoder().describe(),
           double(weights) / 1e6, text_setting(config_, "loss", "name"), chance);
  log.info("{} epochs of {} batches on {} threads", options_.epochs, loader_.batches_per_epoch(),
           threads_);
}

TrainOutcome TrainingRun::finish() {
  epoch_started_ = now_seconds();
  bar_.emplace("training", options_.epochs * data_.train().size(), "samples");
  const auto end = trainer_.run({.on_step = [this](const auto& report) { on_step(report); },
                                 .on_epoch = [this](const auto& report) { on_epoch(report); },
                                 .stop_requested = environment_.stop_requested});
  bar_.reset();
  if (end == TrainEnd::kStopped) {
    progress_.train_seconds += now_seconds() - epoch_started_;
    save_checkpoint(/*best=*/false);
    return {.run = paths_.root, .finished = false, .summary = {}};
  }
  write_results();
  return {.run = paths_.root, .finished = true, .summary = summary()};
}

void TrainingRun::on_step(const StepReport& report) {
  const int64_t in_epoch = std::min((report.batch + 1) * options_.batch_size, data_.train().size());
  bar_->update(report.epoch * data_.train().size() + in_epoch,
               fmt::format("epoch {}/{}  loss {:.3f}", report.epoch + 1, options_.epochs,
                           report.values.at("loss")));
  if (report.step % options_.log_every != 0) return;
  ordered_json value = report.values;
  value["learning_rate"] = report.learning_rate;
  value["gradient_norm"] = report.gradient_norm;
  metrics_->append({{"step", report.step},
                    {"epoch", report.epoch},
                    {"split", "train"},
                    {"name", "step"},
                    {"value", value}});
}

void TrainingRun::on_epoch(const EpochReport& report) {
  const double trained = now_seconds() - epoch_started_;
  progress_.train_seconds += trained;
  metrics_->append({{"step", report.step},
                    {"epoch", report.epoch},
                    {"split", "train"},
                    {"name", "epoch"},
                    {"value", with_entropy(report.means, label_entropy_)}});
  auto line = fmt::format("epoch {}/{}  loss {:.4f}", report.epoch + 1, options_.epochs,
                          report.means.at("loss"));
  const auto bound = report.means.find("mi_bound");
  if (bound != report.means.end()) {
    line += fmt::format("  bound {:.2f} of {:.2f} nats", bound->second, label_entropy_);
  }
  const bool last = report.epoch + 1 == options_.epochs;
  if (last || (report.epoch + 1) % eval_options_.every == 0) {
    evaluate(report);
    line += fmt::format("  accuracy {:.2f} %", 100 * progress_.last_accuracy);
  }
  bar_->finish();
  environment_.logger->info("{}  {:.0f} s, {:.0f} samples/s", line, trained,
                            double(data_.train().size()) / trained);
  const bool best = last_evaluation_ && progress_.best_epoch == report.epoch + 1;
  save_checkpoint(best);
  epoch_started_ = now_seconds();
}

void TrainingRun::evaluate(const EpochReport& report) {
  const double started = now_seconds();
  last_evaluation_ = evaluator_.evaluate(*model_, *loss_, eval_options_.protocols);
  const auto& accuracy = last_evaluation_->accuracy();
  progress_.last_accuracy = accuracy.top1;
  if (accuracy.top1 > progress_.best_accuracy) {
    progress_.best_accuracy = accuracy.top1;
    progress_.best_epoch = report.epoch + 1;
  }
  for (const auto& judgement : last_evaluation_->judgements) {
    metrics_->append({{"step", report.step},
                      {"epoch", report.epoch},
                      {"split", "test"},
                      {"name", protocol_name(judgement.protocol)},
                      {"value", brief_json(judgement)}});
  }
  progress_.eval_seconds += now_seconds() - started;
}

void TrainingRun::save_checkpoint(bool best) {
  progress_.metrics_bytes = metrics_->bytes();
  auto file = collect_training(*model_, *loss_, trainer_);
  file.metadata["run"] = to_text(progress_);
  checkpoints_->save(trainer_.state().step, file);
  if (best) checkpoints_->save_best(file);
}

void TrainingRun::write_results() {
  if (!last_evaluation_) {  // resumed behind the last epoch
    last_evaluation_ = evaluator_.evaluate(*model_, *loss_, eval_options_.protocols);
  }
  const auto& samples = last_evaluation_->samples;
  save_trained_model(paths_.encoder(), {.config = config_,
                                        .input = data_.input,
                                        .class_names = data_.class_names(),
                                        .train_classes = data_.train_classes(),
                                        .model = model_,
                                        .loss = loss_,
                                        .class_vectors = samples.class_vectors});
  write_array(paths_.embeddings(), samples.test.embeddings);
  write_array(paths_.labels(), samples.test.labels);
  environment_.logger->info("judging the trained encoder");
  final_results_ = final_results(samples, eval_options_);
  write_file_atomically(paths_.summary(), summary().dump(2) + "\n");
}

ordered_json TrainingRun::summary() const {
  ordered_json result;
  result["run"] = paths_.root.string();
  result["version"] = kVersion;
  result["dataset"] = text_setting(config_, "dataset", "name");
  result["loss"] = text_setting(config_, "loss", "name");
  result["encoder"] = text_setting(config_, "encoder", "name");
  result["seed"] = std::get<int64_t>(config_.values.at("seed").data);
  result["label_noise"] = std::get<double>(
      config_.tables.at("dataset").tables.at("label_noise").values.at("rate").data);
  const auto labels = labels_table();
  result["wrong_labels"] = labels.select(1, 0).ne(labels.select(1, 1)).sum().item<int64_t>();
  result["samples"] = {{"train", data_.train().size()},
                       {"test", data_.test().size()},
                       {"skipped", data_.dataset.skipped_train + data_.dataset.skipped_test +
                                       loader_.skipped() + evaluator_.skipped()}};
  result["classes"] = data_.class_names().size();
  result["epochs"] = options_.epochs;
  result["protocol"] = protocol_name(last_evaluation_->judgements.front().protocol);
  result["accuracy"] = reported_accuracy(last_evaluation_->accuracy(), progress_.best_accuracy,
                                         progress_.best_epoch, config_.tables.at("dataset"));
  result.update(final_results_);
  result["images_per_second"] = double(trainer_.state().epoch * data_.train().size()) /
                                std::max(progress_.train_seconds, 1e-9);
  result["seconds"] = {{"train", progress_.train_seconds},
                       {"waiting_for_data", loader_.seconds_waited()},
                       {"eval", progress_.eval_seconds},
                       {"total", progress_.train_seconds + progress_.eval_seconds}};
  return result;
}

}  // namespace projnce
