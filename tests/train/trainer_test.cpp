#include "projnce/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "projnce/encoder/resnet.h"
#include "projnce/loss/supcon.h"
#include "projnce/train/training_checkpoint.h"
#include "tests/support/complaint.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"

namespace projnce {
namespace {

using testing::complaint;
using ::testing::HasSubstr;

constexpr int64_t kSamples = 48;
constexpr int kSize = 8;

/// Two classes that brightness tells apart.
DatasetPtr bright_and_dark() {
  std::vector<Image> images;
  for (int64_t i = 0; i < kSamples; ++i) {
    images.push_back(testing::constant_image(kSize, kSize, 1, i % 2 ? 200 : 40));
  }
  return std::make_shared<testing::MemoryDataset>(images, testing::cycling_labels(kSamples, 2), 2);
}

/// A whole training, small enough for a test.
struct Training {
  explicit Training(const TrainOptions& train_options = options(0))
      : loader(bright_and_dark(), {.batch_size = train_options.batch_size,
                                   .format = testing::picture_input(1, kSize),
                                   .augment = {.jitter_probability = 0},
                                   .seed = 3}),
        model(make_model()),
        loss(std::make_shared<SupConLoss>()),
        trainer(model, loss, loader, train_options) {}

  static TrainOptions options(int64_t micro_batch = 0) {
    return {.epochs = 4, .batch_size = 16, .micro_batch = micro_batch, .learning_rate = 0.003};
  }

  /// Not narrower: with four channels, the backward convolution of oneDNN 2.6 writes past its
  /// buffer.
  static EmbeddingModelPtr make_model() {
    torch::manual_seed(1);
    return std::make_shared<EmbeddingModel>(
        std::make_shared<ResNet>(
            ResNetOptions{.input = {.channels = 1, .height = kSize, .width = kSize},
                          .widths = {16, 32},
                          .blocks_per_stage = 1}),
        HeadOptions{.dim = 8});
  }

  TrainLoader loader;
  EmbeddingModelPtr model;
  LossPtr loss;
  Trainer trainer;
};

/// A loss that is not finite at one step.
class BreakingLoss : public ContrastiveLoss {
 public:
  LossValue evaluate(const ContrastiveBatch& batch) override {
    const auto plain = batch.anchors.sum();
    return {calls_++ == 2 ? plain * std::numeric_limits<double>::quiet_NaN() : plain, {}};
  }

 private:
  int calls_ = 0;
};

bool same_tensors(const TensorFile& a, const TensorFile& b) {
  return a.metadata == b.metadata &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && torch::equal(x.second, y.second);
                    });
}

TEST(Trainer, LowersTheLossWholeAndInMicroBatches) {
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

void expect_resumed_equals_whole(const TrainOptions& options) {
  Training whole(options);
  whole.trainer.run({});
  const auto expected = collect_training(*whole.model, *whole.loss, whole.trainer);
  for (const int64_t stop_after : {1, 3, 5}) {  // mid-epoch, an epoch's end, mid-epoch again
    Training first(options);
    const auto end = first.trainer.run(
        {.stop_requested = [&] { return first.trainer.state().step == stop_after; }});
    EXPECT_EQ(end, TrainEnd::kStopped);
    EXPECT_EQ(first.trainer.state().step, stop_after);
    const auto saved = collect_training(*first.model, *first.loss, first.trainer);

    Training second(options);
    restore_training(*second.model, *second.loss, second.trainer, saved);
    EXPECT_EQ(second.trainer.run({}), TrainEnd::kFinished);
    EXPECT_TRUE(
        same_tensors(collect_training(*second.model, *second.loss, second.trainer), expected))
        << "stopped after step " << stop_after;
  }
}

TEST(Trainer, StoppedAnywhereAndResumedEqualsNeverStopped) {
  expect_resumed_equals_whole(Training::options());
}

TEST(Trainer, StoppedAnywhereAndResumedEqualsNeverStoppedInMicroBatches) {
  auto options = Training::options(/*micro_batch=*/9);
  options.epochs = 2;
  expect_resumed_equals_whole(options);
}

TEST(Trainer, AMicroBatchOfTheWholeBatchChangesNothing) {
  Training plain;
  Training one_piece(Training::options(/*micro_batch=*/16));
  plain.trainer.run({});
  one_piece.trainer.run({});
  EXPECT_TRUE(same_tensors(collect_training(*plain.model, *plain.loss, plain.trainer),
                           collect_training(*one_piece.model, *one_piece.loss, one_piece.trainer)));
}

TEST(Trainer, ACheckpointOfAnotherArchitectureChangesNothing) {
  Training training;
  const auto before = collect_training(*training.model, *training.loss, training.trainer);
  auto other = before;
  other.tensors.pop_back();
  EXPECT_THAT(complaint([&] {
                restore_training(*training.model, *training.loss, training.trainer, other);
              }),
              HasSubstr("missing optimizer."));
  EXPECT_TRUE(
      same_tensors(collect_training(*training.model, *training.loss, training.trainer), before));
}

TEST(Trainer, StopsAtTheFirstLossThatIsNotFiniteBeforeItReachesTheWeights) {
  Training training;
  Trainer trainer(training.model, std::make_shared<BreakingLoss>(), training.loader,
                  Training::options());
  torch::Tensor last_good;
  const auto watch = [&](const StepReport&) {
    last_good = training.model->parameters().front().detach().clone();
  };
  EXPECT_THAT(complaint([&] { trainer.run({.on_step = watch}); }),
              HasSubstr("training stopped at step 2 of epoch 1: the loss is nan"));
  EXPECT_TRUE(torch::equal(training.model->parameters().front(), last_good));
}

TEST(Trainer, ClipsLongGradientsAndReportsTheirLength) {
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

}  // namespace
}  // namespace projnce
