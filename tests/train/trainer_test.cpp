#include "projnce/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "projnce/encoder/resnet.h"
#include "projnce/loss/supcon.h"
#include "projnce/train/gradient_cache.h"
#include "projnce/train/training_checkpoint.h"
#include "tests/support/error_message.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce::train {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;

constexpr int64_t kSamples = 48;
constexpr int kSize = 8;

/// Two classes that differ in brightness.
dataset::DatasetPtr bright_and_dark() {
  std::vector<Image> images;
  for (int64_t i = 0; i < kSamples; ++i) {
    images.push_back(testing::constant_image(kSize, kSize, 1, i % 2 ? 200 : 40));
  }
  return std::make_shared<testing::MemoryDataset>(images, testing::cycling_labels(kSamples, 2), 2);
}

/// A complete training setup, small enough for a test.
struct Training {
  explicit Training(const TrainOptions& train_options = options(0))
      : loader(bright_and_dark(), {.batch_size = train_options.batch_size,
                                   .format = testing::image_input(1, kSize),
                                   .augment = {.jitter_probability = 0},
                                   .seed = 3,
                                   .threads = std::max<int64_t>(train_options.loader_threads, 0)}),
        model(make_model()),
        loss(std::make_shared<loss::SupConLoss>()),
        trainer(model, loss, loader, train_options) {}

  TrainingParts parts() { return {*model, *loss, trainer}; }
  checkpoint::TensorFile collect() {
    return collect_training(parts(), *distributed::ProcessGroup::single_process());
  }
  void restore(const checkpoint::TensorFile& file) {
    restore_training(parts(), file);
    set_random_state(saved_random_state(&file, *distributed::ProcessGroup::single_process()));
  }

  static TrainOptions options(int64_t micro_batch = 0) {
    return {.epochs = 4, .batch_size = 16, .micro_batch = micro_batch, .learning_rate = 0.003};
  }

  /// At least 16 channels: with four, the backward convolution of oneDNN 2.6 writes past its
  /// buffer.
  static encoder::EmbeddingModelPtr make_model() {
    torch::manual_seed(1);
    return std::make_shared<encoder::EmbeddingModel>(
        std::make_shared<encoder::ResNet>(
            encoder::ResNetOptions{.input = {.channels = 1, .height = kSize, .width = kSize},
                                   .widths = {16, 32},
                                   .blocks_per_stage = 1}),
        encoder::HeadOptions{.dim = 8});
  }

  loader::TrainLoader loader;
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  Trainer trainer;
};

/// A loss that is NaN at step 2.
class BreakingLoss : public loss::ContrastiveLoss {
 public:
  loss::LossValue evaluate(const loss::ContrastiveBatch& batch) override {
    const auto plain = batch.anchors.sum();
    return {calls_++ == 2 ? plain * std::numeric_limits<double>::quiet_NaN() : plain, {}};
  }

 private:
  int calls_ = 0;
};

bool same_tensors(const checkpoint::TensorFile& a, const checkpoint::TensorFile& b) {
  return a.metadata == b.metadata &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && torch::equal(x.second, y.second);
                    });
}

TEST(Trainer, ReducesTheLossWithAndWithoutMicroBatches) {
  for (const int64_t micro_batch : {0, 9}) {
    Training training(Training::options(micro_batch));
    std::vector<double> losses;
    const auto end = training.trainer.run({.on_epoch = [&](const EpochReport& report) {
      losses.push_back(report.means.at("loss"));
    }});
    EXPECT_EQ(end, TrainEnd::kFinished);
    ASSERT_EQ(losses.size(), 4U);
    EXPECT_LT(losses.back(), losses.front()) << "micro_batch = " << micro_batch;
  }
}

/// Stops a training of two epochs after each possible step and resumes it from there.
void expect_resumed_equals_whole(TrainOptions options) {
  options.epochs = 2;
  torch::manual_seed(5);
  Training whole(options);
  whole.trainer.run({});
  const auto expected = whole.collect();
  for (int64_t stop_after = 1; stop_after < whole.trainer.total_steps(); ++stop_after) {
    Training first(options);
    const auto end = first.trainer.run(
        {.stop_requested = [&] { return first.trainer.state().step == stop_after; }});
    EXPECT_EQ(end, TrainEnd::kStopped);
    EXPECT_EQ(first.trainer.state().step, stop_after);
    const auto saved = first.collect();

    Training second(options);
    second.restore(saved);
    EXPECT_EQ(second.trainer.run({}), TrainEnd::kFinished);
    EXPECT_TRUE(same_tensors(second.collect(), expected)) << "stopped after step " << stop_after;
  }
}

TEST(Trainer, ResumesBitForBitAfterAnyStep) {
  for (const int64_t threads : {0, 1, 2}) {
    auto options = Training::options();
    options.loader_threads = threads;
    expect_resumed_equals_whole(options);
  }
}

TEST(Trainer, ResumesBitForBitAfterAnyStepWithMicroBatches) {
  expect_resumed_equals_whole(Training::options(/*micro_batch=*/9));
}

TEST(Trainer, ResumingRepeatsOnEpochIfItThrew) {
  Training first;
  const auto give_up = [](const EpochReport& report) {
    if (report.epoch == 1) throw std::runtime_error("enough");
  };
  EXPECT_THROW(first.trainer.run({.on_epoch = give_up}), std::runtime_error);
  Training second;
  second.restore(first.collect());
  std::vector<int64_t> closed;
  second.trainer.run(
      {.on_epoch = [&](const EpochReport& report) { closed.push_back(report.epoch); }});
  EXPECT_EQ(closed, (std::vector<int64_t>{1, 2, 3}));
  Training whole;
  whole.trainer.run({});
  EXPECT_TRUE(same_tensors(second.collect(), whole.collect()));
}

TEST(Trainer, RestoresTheRandomGeneratorFromTheCheckpoint) {
  Training training;
  torch::manual_seed(8);
  torch::rand({3});
  const auto saved = training.collect();
  const auto expected = torch::rand({4});
  torch::manual_seed(9);
  training.restore(saved);
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
}

TEST(Trainer, MicroBatchOfTheBatchSizeChangesNothing) {
  Training plain;
  Training one_piece(Training::options(/*micro_batch=*/16));
  plain.trainer.run({});
  one_piece.trainer.run({});
  EXPECT_TRUE(same_tensors(plain.collect(), one_piece.collect()));
}

TEST(Trainer, CheckpointOfAnotherArchitectureChangesNothing) {
  Training training;
  const auto before = training.collect();
  auto other = before;
  std::erase_if(other.tensors,
                [](const auto& item) { return item.first.starts_with("optimizer.mean.head"); });
  EXPECT_THAT(error_message_of([&] { training.restore(other); }), HasSubstr("missing optimizer."));
  EXPECT_TRUE(same_tensors(training.collect(), before));
}

TEST(Trainer, StopsAtTheFirstNonfiniteLossBeforeUpdatingTheWeights) {
  Training training;
  Trainer trainer(training.model, std::make_shared<BreakingLoss>(), training.loader,
                  Training::options());
  torch::Tensor last_good;
  const auto watch = [&](const StepReport&) {
    last_good = training.model->parameters().front().detach().clone();
  };
  EXPECT_THAT(error_message_of([&] { trainer.run({.on_step = watch}); }),
              HasSubstr("training stopped at step 2 of epoch 1: the loss is nan"));
  EXPECT_TRUE(torch::equal(training.model->parameters().front(), last_good));
}

TEST(Trainer, SkipsNonfiniteStepIfAllowed) {
  auto options = Training::options();
  options.skip_nonfinite = 1;
  Training training(options);
  const auto loss = std::make_shared<BreakingLoss>();
  Trainer trainer(training.model, loss, training.loader, options);
  const auto state = [&] {
    return collect_training({*training.model, *loss, trainer},
                            *distributed::ProcessGroup::single_process())
        .tensors;
  };
  checkpoint::NamedTensors before;
  const auto copy = [&](const StepReport&) {
    before = state();
    for (auto& [name, tensor] : before) tensor = tensor.clone();
  };
  std::vector<int64_t> skipped;
  const auto end = trainer.run({.on_step = copy,
                                .on_nonfinite =
                                    [&](const NonfiniteStep& step) {
                                      skipped.push_back(step.report.step);
                                      EXPECT_FALSE(step.stops);
                                      EXPECT_EQ(step.batch.size(), 16);
                                    },
                                .stop_requested = [&] { return trainer.state().step == 3; }});
  EXPECT_EQ(end, TrainEnd::kStopped);
  EXPECT_EQ(skipped, std::vector<int64_t>{2});
  const auto after = state();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(torch::equal(after[i].second, before[i].second)) << before[i].first;
  }
  EXPECT_EQ(trainer.optimizer().steps(), 2);
}

TEST(Trainer, WritesCheckpointsOnRequestAndAfterEachEpoch) {
  Training training;  // 3 batches in each of 4 epochs
  std::vector<int64_t> saved;
  training.trainer.run({.wants_checkpoint = [&] { return training.trainer.state().step == 4; },
                        .on_checkpoint = [&] { saved.push_back(training.trainer.state().step); }});
  EXPECT_EQ(saved, (std::vector<int64_t>{3, 4, 6, 9, 12}));
}

TEST(Trainer, ClipsGradientsAndReportsTheirNorm) {
  auto options = Training::options();
  options.clip_norm = 1e-6;
  Training training(options);
  double norm = 0;
  training.trainer.run({.on_step = [&](const StepReport& report) { norm = report.gradient_norm; },
                        .stop_requested = [] { return true; }});
  double clipped = 0;
  for (const auto& parameter : training.model->parameters()) {
    clipped += parameter.grad().square().sum().item<double>();
  }
  EXPECT_GT(norm, 1e-3);
  EXPECT_NEAR(std::sqrt(clipped), 1e-6, 1e-9);
}

TEST(Trainer, FollowsTheSchedule) {
  auto options = Training::options();
  options.schedule = {.schedule = Schedule::kCosine, .warmup_epochs = 1};
  Training training(options);
  std::vector<double> rates;
  training.trainer.run(
      {.on_step = [&](const StepReport& report) { rates.push_back(report.learning_rate); }});
  ASSERT_EQ(rates.size(), 12U);
  EXPECT_DOUBLE_EQ(rates[0], 0.001);
  EXPECT_DOUBLE_EQ(rates[2], 0.003);
  EXPECT_LT(rates.back(), 0.0003);
}

TEST(RandomState, IsRestoredFromARowOfGatheredStates) {
  torch::manual_seed(3);
  const auto states = torch::stack({torch::zeros_like(random_state()), random_state()});
  const auto drawn = torch::rand({5});
  set_random_state(states[1]);  // a view with a storage offset
  EXPECT_TRUE(torch::rand({5}).equal(drawn));
}

}  // namespace
}  // namespace projnce::train
