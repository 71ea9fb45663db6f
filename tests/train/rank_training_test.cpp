#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <limits>

#include "projnce/encoder/resnet.h"
#include "projnce/loss/registry.h"
#include "projnce/train/trainer.h"
#include "projnce/train/training_checkpoint.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"
#include "tests/support/rank_threads.h"

namespace projnce::train {
namespace {

constexpr int64_t kImages = 50;
constexpr int kSide = 8;

dataset::DatasetPtr random_images() {
  std::vector<Image> images;
  Random random(5);
  for (int64_t i = 0; i < kImages; ++i) {
    Image image{kSide, kSide, 1, {}};
    for (int p = 0; p < kSide * kSide; ++p) {
      image.pixels.push_back(static_cast<uint8_t>(random.below(128) + (i % 2 ? 100 : 0)));
    }
    images.push_back(std::move(image));
  }
  return std::make_shared<testing::MemoryDataset>(images, testing::cycling_labels(kImages, 2), 2);
}

/// Encoder that returns NaN features in one call.
class PoisonedEncoder : public encoder::Encoder {
 public:
  explicit PoisonedEncoder(int poisoned_call)
      : inner_(
            register_module("inner", std::make_shared<encoder::ResNet>(encoder::ResNetOptions{
                                         .input = {.channels = 1, .height = kSide, .width = kSide},
                                         .widths = {8, 16},
                                         .blocks_per_stage = 1}))),
        poisoned_call_(poisoned_call) {}
  torch::Tensor forward(const torch::Tensor& images) override {
    const auto features = inner_->forward(images);
    return calls_++ == poisoned_call_ ? features / 0 * 0 : features;
  }
  int64_t feature_dim() const override { return inner_->feature_dim(); }
  std::string describe() const override { return "poisoned"; }

 private:
  std::shared_ptr<encoder::ResNet> inner_;
  int poisoned_call_;
  int calls_ = 0;
};

/// Training components of one rank. Construct all ranks on one thread: they share the global seed.
struct RankTraining {
  RankTraining(int rank, int world, const TrainOptions& train, const std::string& loss_name,
               int poisoned_call = -1)
      : options(train),
        loader(random_images(), {.batch_size = options.batch_size,
                                 .format = testing::image_input(1, kSide),
                                 .augment = {.jitter_probability = 0},
                                 .seed = 3,
                                 .epochs = options.epochs,
                                 .share = {rank, world}}) {
    torch::manual_seed(1);
    model = std::make_shared<encoder::EmbeddingModel>(
        std::make_shared<PoisonedEncoder>(poisoned_call), encoder::HeadOptions{.dim = 8});
    loss = loss::make_loss(loss::loss_options(loss_name),
                           {.num_classes = 2, .embedding_dim = 8, .feature_dim = 16});
  }

  void run(const distributed::ProcessGroupPtr& ranks, const TrainHooks& hooks = {}) {
    Trainer trainer(model, loss, loader, options, ranks);
    trainer.run(hooks);
    steps = trainer.state().step;
    optimizer_steps = trainer.optimizer().steps();
  }

  TrainOptions options;
  loader::TrainLoader loader;
  encoder::EmbeddingModelPtr model;
  loss::LossPtr loss;
  int64_t steps = 0;
  int64_t optimizer_steps = 0;
};

TrainOptions twenty_steps() {  // 50 images: four batches per epoch, the last one has two images
  return {.epochs = 5, .batch_size = 16, .learning_rate = 1e-3};
}

double largest_difference(const torch::nn::Module& a, const torch::nn::Module& b) {
  double largest = 0;
  for (size_t i = 0; i < a.parameters().size(); ++i) {
    const auto difference = (a.parameters()[i] - b.parameters()[i]).abs().max().item<double>();
    largest = std::max(largest, difference);
  }
  return largest;
}

TEST(RankTraining, WeightsAfterTwentyStepsMatchOneProcess) {
  RankTraining single(0, 1, twenty_steps(), "projnce");
  single.run(distributed::ProcessGroup::single_process());
  ASSERT_EQ(single.steps, 20);
  for (const int world : {2, 4}) {
    std::vector<std::unique_ptr<RankTraining>> trainings;
    for (int rank = 0; rank < world; ++rank) {
      trainings.push_back(std::make_unique<RankTraining>(rank, world, twenty_steps(), "projnce"));
    }
    testing::as_ranks(world, [&](const distributed::ProcessGroupPtr& ranks) {
      trainings[static_cast<size_t>(ranks->rank())]->run(ranks);
    });
    EXPECT_LE(largest_difference(*trainings[0]->model, *single.model), 1e-5) << world << " ranks";
    for (const auto& training : trainings) {
      EXPECT_EQ(largest_difference(*training->model, *trainings[0]->model), 0)
          << "ranks must not drift apart";
    }
  }
}

constexpr int kPoisonWorld = 2;

/// For every loss, the trainings of two ranks, one of which produces NaN features for batch 1.
std::vector<std::vector<std::unique_ptr<RankTraining>>> poisoned(TrainOptions options) {
  options.epochs = 1;
  std::vector<std::vector<std::unique_ptr<RankTraining>>> trainings;
  for (const auto& loss : loss::loss_names()) {
    auto& of_loss = trainings.emplace_back();
    for (int rank = 0; rank < kPoisonWorld; ++rank) {
      of_loss.push_back(std::make_unique<RankTraining>(rank, kPoisonWorld, options, loss,
                                                       /*poisoned_call=*/rank == 1 ? 1 : -1));
    }
  }
  return trainings;
}

bool all_finite(const std::vector<torch::Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const torch::Tensor& tensor) {
    return tensor.isfinite().all().item<bool>();
  });
}

TEST(RankTraining, NonfiniteStepOnOneRankIsSkippedByAll) {
  auto options = twenty_steps();
  options.skip_nonfinite = 1;
  const auto trainings = poisoned(options);
  std::vector<std::vector<int64_t>> skipped(kPoisonWorld);
  testing::as_ranks(kPoisonWorld, [&](const distributed::ProcessGroupPtr& ranks) {
    const auto rank = static_cast<size_t>(ranks->rank());
    for (const auto& of_loss : trainings) {
      of_loss[rank]->run(ranks, {.on_nonfinite = [&, rank](const NonfiniteStep& step) {
                           skipped[rank].push_back(step.report.step);
                         }});
    }
  });
  for (const auto& of_rank : skipped) {
    EXPECT_EQ(of_rank, std::vector<int64_t>(trainings.size(), 1));
  }
  for (size_t i = 0; i < trainings.size(); ++i) {
    SCOPED_TRACE(loss::loss_names()[i]);
    for (const auto& training : trainings[i]) {
      EXPECT_EQ(training->steps, 4);
      EXPECT_EQ(training->optimizer_steps, 3);
      EXPECT_TRUE(all_finite(training->model->parameters()));
      EXPECT_TRUE(all_finite(training->model->buffers()));
    }
    EXPECT_EQ(largest_difference(*trainings[i][0]->model, *trainings[i][1]->model), 0);
  }
}

TEST(RankTraining, NonfiniteStepOnOneRankStopsAll) {
  const auto trainings = poisoned(twenty_steps());
  std::vector<std::vector<std::string>> messages(kPoisonWorld);
  testing::as_ranks(kPoisonWorld, [&](const distributed::ProcessGroupPtr& ranks) {
    const auto rank = static_cast<size_t>(ranks->rank());
    for (const auto& of_loss : trainings) {
      try {
        of_loss[rank]->run(ranks);
      } catch (const Error& error) {
        messages[rank].push_back(error.what());
      }
    }
  });
  for (const auto& of_rank : messages) {
    EXPECT_EQ(of_rank.size(), trainings.size());
    EXPECT_THAT(of_rank, ::testing::Each(::testing::HasSubstr("training stopped at step 1")));
  }
  for (const auto& of_loss : trainings) {
    EXPECT_EQ(largest_difference(*of_loss[0]->model, *of_loss[1]->model), 0);
  }
}

TEST(RankTraining, RestoresTheRandomStateOfEachRank) {
  RankTraining training(0, 1, twenty_steps(), "supcon");
  Trainer trainer(training.model, training.loss, training.loader, training.options);
  auto file = collect_training({*training.model, *training.loss, trainer},
                               *distributed::ProcessGroup::single_process());
  auto& generators = file.tensors.back().second;
  ASSERT_EQ(file.tensors.back().first, "random.generators");
  generators = torch::cat({generators, generators ^ 1});
  std::vector<torch::Tensor> found(2);
  testing::as_ranks(2, [&](const distributed::ProcessGroupPtr& ranks) {
    found[static_cast<size_t>(ranks->rank())] =
        saved_random_state(ranks->is_rank_zero() ? &file : nullptr, *ranks);
  });
  for (int64_t rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(torch::equal(found[static_cast<size_t>(rank)], generators[rank]));
  }
  EXPECT_FALSE(saved_random_state(&file, *distributed::ProcessGroup::single_process()).defined())
      << "written by two ranks";
  EXPECT_FALSE(saved_random_state(nullptr, *distributed::ProcessGroup::single_process()).defined());
}

TEST(RankTraining, StopRequestOfOneRankStopsAll) {
  constexpr int kWorld = 2;
  std::vector<std::unique_ptr<RankTraining>> trainings;
  for (int rank = 0; rank < kWorld; ++rank) {
    trainings.push_back(std::make_unique<RankTraining>(rank, kWorld, twenty_steps(), "supcon"));
  }
  testing::as_ranks(kWorld, [&](const distributed::ProcessGroupPtr& ranks) {
    int calls = 0;
    trainings[static_cast<size_t>(ranks->rank())]->run(
        ranks, {.stop_requested = [&] { return ranks->rank() == 1 && ++calls == 3; }});
  });
  for (const auto& training : trainings) EXPECT_EQ(training->steps, 3);
}

}  // namespace
}  // namespace projnce::train
