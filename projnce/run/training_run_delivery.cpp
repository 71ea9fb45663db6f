#include "projnce/run/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/labels.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/information_report.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/run/batch_samples.h"
#include "projnce/run/delivery.h"
#include "projnce/run/metrics_writer.h"
#include "projnce/run/training_summary.h"
#include "projnce/train/gradient_cache.h"

namespace projnce::run {

namespace {

/// Number of distinct corrupt samples. Counts each once, because samples change ranks between
/// epochs.
int64_t count_skipped(const std::vector<int64_t>& corrupt, distributed::ProcessGroup& ranks) {
  const auto mine = torch::tensor(corrupt, torch::kLong);
  const auto all = ranks.all_gather_rows(mine, ranks.all_gather_counts(mine.size(0)));
  return std::get<0>(at::_unique(all)).size(0);
}

}  // namespace

std::string TrainingRun::last_checkpoint_text() {
  if (!checkpoints_) return {};
  checkpoints_->wait();
  if (!checkpoints_->newest().empty()) last_good_ = checkpoints_->newest();
  if (last_good_.empty()) return ". There is no checkpoint yet";
  return ". The last good checkpoint is " + last_good_.string();
}

void TrainingRun::fail_out_of_memory() {
  fail_runtime(Hint{"set a smaller train.micro_batch, which gives the same gradient up to "
                    "batch-norm, or a smaller train.batch_size"},
               trainer_.device(), " is out of memory with train.batch_size = ", options_.batch_size,
               ", ", loader_.views(), " views and train.micro_batch = ", options_.micro_batch,
               last_checkpoint_text());
}

bool TrainingRun::load_delivered_epoch() {
  delivered_epoch_ = {.epoch = options_.epochs, .epochs = options_.epochs};
  if (data_.validation) delivered_epoch_.rule = inference::EpochRule::kBestValidation;
  const bool other_epoch =
      progress_.validation_epoch != 0 && progress_.validation_epoch != options_.epochs;
  if (ranks_->broadcast_text(other_epoch ? "other_epoch" : "") == "other_epoch") {
    if (ranks_->is_rank_zero() && load_best_weights()) {
      delivered_epoch_.epoch = progress_.validation_epoch;
    } else {
      delivered_epoch_.rule = inference::EpochRule::kLast;
    }
    train::broadcast_weights(*model_, *loss_, *ranks_);
    last_evaluation_.reset();
  }
  if (last_evaluation_) return true;  // of the last epoch; not set after a resume
  try {
    last_evaluation_ = evaluator_.evaluate(*model_, *loss_, eval_options_.protocols);
    return true;
  } catch (const inference::EvaluationStopped&) {
    return false;
  }
}

bool TrainingRun::load_best_weights() {
  checkpoints_->finish();
  try {
    const auto best =
        checkpoint::load_tensors(checkpoint::CheckpointDir(paths_.checkpoints()).best_path());
    const auto run = best.metadata.find("run");
    if (run == best.metadata.end() ||
        progress_from_text(run->second).validation_epoch != progress_.validation_epoch) {
      fail(best.origin, " is of other_epoch epoch, expected epoch ", progress_.validation_epoch);
    }
    train::restore_weights(*model_, *loss_, best);
    environment_.logger->info("delivering epoch {}, the most accurate on the validation split",
                              progress_.validation_epoch);
    return true;
  } catch (const Error& error) {
    environment_.logger->warn(
        "delivering the last epoch instead of epoch {}, the most accurate on the validation split: "
        "{}",
        progress_.validation_epoch, error.what());
    return false;
  }
}

inference::TrainedModel TrainingRun::delivered_model() const {
  return {.config = {.encoder = config_.encoder, .input = config_.input, .loss = config_.loss},
          .input = data_.input,
          .class_names = data_.class_names(),
          .train_classes = data_.train_classes(),
          .model = model_,
          .loss = loss_,
          .class_vectors = last_evaluation_->samples.class_vectors,
          .readout = delivery_->readout,
          .epoch = delivery_->epoch.epoch,
          .rule = delivery_->epoch.rule};
}

void TrainingRun::write_results() {
  const auto skipped_tests = ranks_->all_gather_counts(evaluator_.skipped());
  skipped_ = count_skipped(loader_.corrupt(), *ranks_) +
             std::accumulate(skipped_tests.begin(), skipped_tests.end(), int64_t{0});
  if (!ranks_->is_rank_zero()) return;
  environment_.logger->info("evaluating the trained encoder");
  delivery_ = make_delivery(*last_evaluation_, eval_options_, delivered_epoch_);
  const auto& samples = last_evaluation_->samples;
  inference::save_trained_model(paths_.encoder(), delivered_model());
  inference::write_array(paths_.embeddings(), samples.test.embeddings);
  inference::write_array(paths_.labels(), samples.test.labels);
  io::write_file_atomically(paths_.summary(), summary_json(summary()).dump(2) + "\n");
}

std::filesystem::path TrainingRun::write_report() {
  if (!report_options_.page) return {};
  return write_final_report({.paths = paths_,
                             .data = data_,
                             .samples = last_evaluation_->samples,
                             .reference = evaluator_.reference(),
                             .trained = delivered_model(),
                             .threads = threads_,
                             .stop_requested = environment_.stop_requested},
                            report_options_, *metrics_writer_, trainer_.state().step,
                            environment_.logger);
}

TrainingSummary TrainingRun::summary() const {
  const auto labels = labels_table();
  const auto& dataset = data_.dataset;
  TrainingSummary summary{
      .run = paths_.root,
      .dataset = config_.dataset.name,
      .data = metadata_.data.value(),
      .fingerprints = split_fingerprints_,
      .loss = config_.loss.name,
      .encoder = config_.encoder.name,
      .seed = config_.run.seed,
      .label_noise = config_.dataset.label_noise.rate,
      .wrong_labels = labels.select(1, 0).ne(labels.select(1, 1)).sum().item<int64_t>(),
      .train_samples = data_.train().size(),
      .test_samples = data_.test().size(),
      .skipped_samples = dataset.skipped_train + dataset.skipped_test + skipped_,
      .classes = static_cast<int64_t>(data_.class_names().size()),
      .epochs = options_.epochs,
      .delivery = *delivery_,
      .accuracy = reported_accuracy(*delivery_, progress_, eval_options_.report, config_.dataset),
      .results = final_results(*last_evaluation_, eval_options_, *delivery_),
      .images_per_second = double(trainer_.state().epoch * data_.train().size()) /
                           std::max(progress_.train_seconds, 1e-9),
      .ranks = ranks_->size(),
      .train_seconds = progress_.train_seconds,
      .waiting_seconds = loader_.seconds_waited(),
      .eval_seconds = progress_.eval_seconds};
  if (data_.validation) summary.validation_samples = data_.validation->size();
  return summary;
}

}  // namespace projnce::run
