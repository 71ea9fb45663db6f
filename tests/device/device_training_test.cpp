// The training loop on a device other than the CPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "projnce/encoder/resnet.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/train/autocast.h"
#include "projnce/train/gradient_cache.h"
#include "projnce/train/trainer.h"
#include "projnce/train/training_checkpoint.h"
#include "tests/device/guarded_device.h"
#include "tests/support/error_message.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"
#include "tests/support/rank_threads.h"

namespace projnce::train {
namespace {

using testing::error_message_of;
using testing::guarded_synchronizations;
using ::testing::HasSubstr;
using testing::kGuardedDevice;

constexpr int64_t kSamples = 48;
constexpr int kSize = 8;

dataset::DatasetPtr bright_and_dark() {
  std::vector<Image> images;
  for (int64_t i = 0; i < kSamples; ++i) {
    images.push_back(testing::constant_image(kSize, kSize, 1, i % 2 ? 200 : 40));
  }
  return std::make_shared<testing::MemoryDataset>(images, testing::cycling_labels(kSamples, 2), 2);
}

encoder::EmbeddingModelPtr make_test_model() {
  torch::manual_seed(1);
  return std::make_shared<encoder::EmbeddingModel>(
      std::make_shared<encoder::ResNet>(
          encoder::ResNetOptions{.input = {.channels = 1, .height = kSize, .width = kSize},
                                 .widths = {16, 32},
                                 .blocks_per_stage = 1,
                                 // The convolutions that the test device uses.
                                 .engine = encoder::Engine::kTorch}),
      encoder::HeadOptions{.dim = 8});
}

loss::LossPtr make_test_loss() {
  torch::manual_seed(2);
  return std::make_shared<loss::ProjnceMlpLoss>(loss::ProjnceMlpOptions{}, 2, 8);
}

/// A loss that is NaN at the steps `broken`.
class BrokenLoss : public loss::ContrastiveLoss {
 public:
  explicit BrokenLoss(std::vector<int> broken) : broken_(std::move(broken)) {}
  loss::LossValue evaluate(const loss::ContrastiveBatch& batch) override {
    const bool breaks = std::find(broken_.begin(), broken_.end(), calls_++) != broken_.end();
    const auto plain = batch.anchors.select(1, 0).mean();
    return {breaks ? plain * std::numeric_limits<double>::quiet_NaN() : plain, {}};
  }

 private:
  std::vector<int> broken_;
  int calls_ = 0;
};

TrainOptions options() {
  return {.epochs = 2, .batch_size = 16, .learning_rate = 0.003, .clip_norm = 1, .log_every = 2};
}

struct DeviceTraining {
  explicit DeviceTraining(
      const torch::Device& device, const TrainOptions& train_options = options(),
      loss::LossPtr train_loss = make_test_loss(),
      distributed::ProcessGroupPtr ranks = distributed::ProcessGroup::single_process())
      : loader(bright_and_dark(), {.batch_size = train_options.batch_size,
                                   .format = testing::image_input(1, kSize),
                                   .augment = {.jitter_probability = 0},
                                   .seed = 3,
                                   .threads = 0,
                                   .share = {.part = ranks->rank(), .parts = ranks->size()}}),
        model(make_test_model()),
        loss(std::move(train_loss)),
        group(std::move(ranks)),
        trainer(placed(*model, *loss, device), loss, loader, train_options, group, device) {}

  /// Moves both before the trainer creates the optimizer.
  encoder::EmbeddingModelPtr placed(encoder::EmbeddingModel& module, loss::Loss& other,
                                    const torch::Device& device) {
    module.to(device);
    other.to(device);
    return model;
  }

  TrainingParts parts() { return {*model, *loss, trainer}; }
  /// Losses and gradient norms of all steps.
  std::vector<double> run() {
    std::vector<double> numbers;
    trainer.run({.on_step = [&](const StepReport& report) {
      numbers.push_back(report.values.at("loss"));
      numbers.push_back(report.gradient_norm);
    }});
    return numbers;
  }
  checkpoint::TensorFile collect() { return collect_training(parts(), *group); }

  loader::TrainLoader loader;
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  distributed::ProcessGroupPtr group;
  Trainer trainer;
};

double distance(const checkpoint::TensorFile& a, const checkpoint::TensorFile& b) {
  double largest = 0;
  for (const auto& [name, tensor] : a.tensors) {
    if (name.starts_with("random.")) continue;
    for (const auto& [other, expected] : b.tensors) {
      if (name != other || tensor.numel() == 0) continue;
      const auto difference = tensor.cpu().to(torch::kDouble) - expected.cpu().to(torch::kDouble);
      largest = std::max(largest, difference.abs().max().item<double>());
    }
  }
  return largest;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

TEST(DeviceTraining, EqualsTheCpu) {
  for (const int64_t micro_batch : {0, 9}) {
    auto settings = options();
    settings.micro_batch = micro_batch;
    DeviceTraining host(torch::kCPU, settings);
    DeviceTraining device(kGuardedDevice, settings);
    expect_near(device.run(), host.run(), 2e-3);
    EXPECT_LT(distance(device.collect(), host.collect()), 2e-3) << micro_batch;
    EXPECT_EQ(device.trainer.state().step, host.trainer.state().step);
    EXPECT_EQ(device.trainer.optimizer().steps(), host.trainer.optimizer().steps());
  }
}

TEST(DeviceTraining, WaitsForTheDeviceOnlyToReport) {
  auto settings = options();
  settings.log_every = 3;  // steps per epoch
  settings.skip_nonfinite = 1;
  DeviceTraining training(kGuardedDevice, settings);
  std::vector<int64_t> waits;
  training.trainer.run({.stop_requested = [&] {
    waits.push_back(guarded_synchronizations());
    return false;
  }});
  ASSERT_EQ(waits.size(), 6U);
  for (const size_t step : {1, 2, 4, 5}) EXPECT_EQ(waits[step], waits[step - 1]) << step;
  EXPECT_EQ(waits[3], waits[2] + 1) << "one copy for the reports of an epoch";
}

TEST(DeviceTraining, AStepNeedsNoValuesOnTheHost) {
  auto settings = options();
  settings.log_every = 100;
  settings.skip_nonfinite = 1;
  for (const int64_t micro_batch : {0, 9}) {
    settings.micro_batch = micro_batch;
    DeviceTraining training(torch::kMeta, settings);
    int steps = 0;
    // Ends by an error where the first report is due, which cannot be made without values.
    const auto stops = [&] { return ++steps == 2; };
    EXPECT_THROW(training.trainer.run({.stop_requested = stops}), std::exception);
    EXPECT_EQ(steps, 2);
    for (const auto& parameter : training.model->parameters()) {
      EXPECT_TRUE(parameter.is_meta());
      EXPECT_TRUE(parameter.grad().defined());
    }
  }
}

TEST(DeviceTraining, ResumesBitForBitAfterAnyStep) {
  DeviceTraining whole(kGuardedDevice);
  whole.run();
  const auto expected = whole.collect();
  for (int64_t stop_after = 1; stop_after < whole.trainer.total_steps(); ++stop_after) {
    DeviceTraining first(kGuardedDevice);
    first.trainer.run({.stop_requested = [&] { return first.trainer.state().step == stop_after; }});
    DeviceTraining second(kGuardedDevice);
    restore_training(second.parts(), first.collect());
    second.run();
    const auto found = second.collect();
    EXPECT_EQ(found.metadata, expected.metadata) << stop_after;
    EXPECT_EQ(distance(found, expected), 0) << stop_after;
  }
}

TEST(DeviceTraining, CheckpointsMoveBetweenDevices) {
  DeviceTraining whole(torch::kCPU);
  whole.run();
  for (const auto& [from, to] : {std::pair(kGuardedDevice, torch::Device(torch::kCPU)),
                                 std::pair(torch::Device(torch::kCPU), kGuardedDevice)}) {
    DeviceTraining first(from);
    first.trainer.run({.stop_requested = [&] { return first.trainer.state().step == 3; }});
    DeviceTraining second(to);
    restore_training(second.parts(), first.collect());
    second.run();
    EXPECT_LT(distance(second.collect(), whole.collect()), 2e-3) << from << " to " << to;
  }
}

TEST(DeviceTraining, SavesTheRandomStateOfTheDevice) {
  DeviceTraining training(kGuardedDevice);
  const auto state = random_state(kGuardedDevice).clone();
  const auto file = training.collect();
  torch::randn({3}, at::globalContext().defaultGenerator(kGuardedDevice));
  EXPECT_FALSE(torch::equal(random_state(kGuardedDevice), state));
  set_random_state(saved_random_state(&file, *training.group, kGuardedDevice), kGuardedDevice);
  EXPECT_TRUE(torch::equal(random_state(kGuardedDevice), state));
}

TEST(DeviceTraining, SkipsNonfiniteStepsLikeTheCpu) {
  auto settings = options();
  settings.skip_nonfinite = 1;
  const auto train = [&](const torch::Device& device) {
    DeviceTraining training(device, settings, std::make_shared<BrokenLoss>(std::vector{1, 4}));
    std::vector<int64_t> skipped;
    training.trainer.run({.on_nonfinite = [&](const NonfiniteStep& step) {
      skipped.push_back(step.report.step);
      EXPECT_EQ(step.batch.indices.size(0), 16);
    }});
    EXPECT_THAT(skipped, ::testing::ElementsAre(1, 4));
    return training.collect();
  };
  EXPECT_LT(distance(train(kGuardedDevice), train(torch::kCPU)), 2e-3);
}

TEST(DeviceTraining, StopsAtANonfiniteStepWithTheWeightsBeforeIt) {
  auto settings = options();
  settings.log_every = 100;
  const auto broken = [](int step) { return std::make_shared<BrokenLoss>(std::vector{step}); };
  DeviceTraining training(kGuardedDevice, settings, broken(1));
  EXPECT_THAT(error_message_of([&] { training.run(); }), HasSubstr("step 1 of epoch 1"));
  DeviceTraining expected(kGuardedDevice, settings, broken(-1));
  expected.trainer.run({.stop_requested = [] { return true; }});  // one step
  for (size_t i = 0; i < training.model->parameters().size(); ++i) {
    EXPECT_TRUE(
        torch::equal(training.model->parameters()[i].cpu(), expected.model->parameters()[i].cpu()));
  }
}

TEST(DeviceTraining, HalfPrecisionIsNearFloat32) {
  DeviceTraining plain(kGuardedDevice);
  const auto expected = plain.run();
  for (const auto precision : {Precision::kBfloat16, Precision::kFloat16}) {
    auto settings = options();
    settings.precision = precision;
    DeviceTraining training(kGuardedDevice, settings);
    training.trainer.state().loss_scale = {.scale = 256, .steps = 0};
    const auto found = training.run();
    ASSERT_EQ(found.size(), expected.size());
    for (const size_t i : {0, 1}) {  // the first step has the same weights
      EXPECT_NEAR(found[i], expected[i], 0.02 * std::abs(expected[i]));
      EXPECT_NE(found[i], expected[i]) << "the encoder computes with fewer digits";
    }
    for (const auto& parameter : training.model->parameters()) {
      EXPECT_EQ(parameter.scalar_type(), torch::kFloat);
    }
  }
}

TEST(DeviceTraining, LossScalingRecoversFromOverflow) {
  auto settings = options();
  settings.precision = Precision::kFloat16;
  DeviceTraining training(kGuardedDevice, settings);
  training.trainer.state().loss_scale = {.scale = std::ldexp(1.0, 40), .steps = 0};
  int64_t reported = 0;
  training.trainer.run({.on_step = [&](const StepReport&) { ++reported; },
                        .on_nonfinite = [](const NonfiniteStep&) { FAIL(); }});
  const auto& state = training.trainer.state();
  EXPECT_LT(state.loss_scale.scale, std::ldexp(1.0, 40));
  EXPECT_EQ(training.trainer.optimizer().steps(), reported);
  EXPECT_LT(reported, training.trainer.total_steps());
}

TEST(DeviceTraining, Float16NeedsADevice) {
  EXPECT_THAT(error_message_of([] { check_precision(torch::kCPU, Precision::kFloat16); }),
              HasSubstr("precision = 'fp16'"));
  check_precision(kGuardedDevice, Precision::kFloat16);
  check_precision(torch::kCPU, Precision::kBfloat16);
}

/// A whole training needs a process for each rank: threads of one process share the thread in which
/// autograd works for a device, which would wait for itself.
TEST(DeviceTraining, RanksExchangeTensorsOnTheDevice) {
  testing::as_ranks(2, [](const distributed::ProcessGroupPtr& ranks) {
    ranks->use_device(kGuardedDevice);
    const auto mine = torch::full({ranks->rank() + 1, 3}, ranks->rank() + 1.0F);
    const auto on_device = mine.to(kGuardedDevice);
    const auto expect_equal = [](const torch::Tensor& found, const torch::Tensor& expected) {
      EXPECT_EQ(found.device(), kGuardedDevice);
      EXPECT_TRUE(torch::equal(found.cpu(), expected));
    };
    const auto all = ranks->all_gather_rows(mine, {1, 2});
    expect_equal(ranks->all_gather_rows(on_device, {1, 2}), all);
    expect_equal(ranks->reduce_scatter(all.to(kGuardedDevice), {1, 2}),
                 ranks->reduce_scatter(all, {1, 2}));
    auto sum = torch::ones({5000}, kGuardedDevice);
    ranks->all_reduce(sum);
    expect_equal(sum, torch::full({5000}, 2.0F));
    ranks->start_all_reduce(sum).wait();
    expect_equal(sum, torch::full({5000}, 4.0F));
    auto first = torch::full({2}, static_cast<float>(ranks->rank())).to(kGuardedDevice);
    ranks->broadcast(first);
    expect_equal(first, torch::zeros({2}));
  });
}

}  // namespace
}  // namespace projnce::train
