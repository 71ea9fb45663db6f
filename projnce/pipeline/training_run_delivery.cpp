#include "projnce/core/error.h"
#include "projnce/pipeline/training_run.h"

namespace projnce {

bool TrainingRun::load_delivered_epoch() {
  delivered_epoch_ = {.epoch = options_.epochs, .epochs = options_.epochs};
  if (data_.validation) delivered_epoch_.rule = EpochRule::kBestValidation;
  const bool another =
      progress_.validation_epoch != 0 && progress_.validation_epoch != options_.epochs;
  if (ranks_->broadcast_text(another ? "another" : "") == "another") {
    if (ranks_->first() && load_best_weights()) {
      delivered_epoch_.epoch = progress_.validation_epoch;
    } else {
      delivered_epoch_.rule = EpochRule::kLast;
    }
    share_weights(*model_, *loss_, *ranks_);
    last_evaluation_.reset();
  }
  if (last_evaluation_) return true;  // that of the last epoch; a resumed run has none
  try {
    last_evaluation_ = evaluator_.evaluate(*model_, *loss_, eval_options_.protocols);
    return true;
  } catch (const EvaluationStopped&) {
    return false;
  }
}

bool TrainingRun::load_best_weights() {
  checkpoints_->finish();
  try {
    const auto best = load_tensors(CheckpointDir(paths_.checkpoints()).best_path());
    const auto run = best.metadata.find("run");
    if (run == best.metadata.end() ||
        progress_from_text(run->second).validation_epoch != progress_.validation_epoch) {
      fail(best.origin, " is not of epoch ", progress_.validation_epoch);
    }
    restore_weights(*model_, *loss_, best);
    environment_.logger->info("epoch {} was the best on the validation samples: delivering it",
                              progress_.validation_epoch);
    return true;
  } catch (const Error& error) {
    environment_.logger->warn(
        "the last epoch is delivered instead of epoch {}, which was the best "
        "on the validation samples: {}",
        progress_.validation_epoch, error.what());
    return false;
  }
}

TrainedModel TrainingRun::delivered_model() const {
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

}  // namespace projnce
