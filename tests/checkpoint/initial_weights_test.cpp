#include "projnce/checkpoint/initial_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <limits>

#include "projnce/checkpoint/tensor_file.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

/// A first convolution with batch-norm and one more layer, named as in an encoder.
struct Network : torch::nn::Module {
  explicit Network(int64_t channels = 3, int64_t kernel = 3, int64_t width = 4) {
    conv1 = register_module(
        "conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, width, kernel).bias(false)));
    bn1 = register_module("bn1", torch::nn::BatchNorm2d(width));
    last = register_module("layer1", torch::nn::Linear(width, 2));
  }
  torch::nn::Conv2d conv1{nullptr};
  torch::nn::BatchNorm2d bn1{nullptr};
  torch::nn::Linear last{nullptr};
};

class InitialWeightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    torch::manual_seed(1);
    source_ = std::make_shared<Network>();
    source_->bn1->running_mean.fill_(0.25);
    source_->bn1->num_batches_tracked.fill_(17);
    target_ = std::make_shared<Network>();
  }

  WeightTargets targets() const {
    return {.encoder = named_state(*target_, ""),
            .head = named_state(*head_, "head."),
            .loss = {{"loss.class_vectors", class_vectors_}}};
  }

  static TensorFile file_of(const torch::nn::Module& module, const std::string& prefix) {
    TensorFile file;
    file.origin = "w.safetensors";
    for (const auto& [name, tensor] : named_state(module, prefix)) {
      file.tensors.emplace_back(name, tensor.clone());
    }
    return file;
  }

  LoadedWeights load(const TensorFile& file) const { return load_initial_weights(targets(), file); }

  std::string load_error(const TensorFile& file) const {
    return error_message_of([&] { load(file); });
  }

  bool everything_loaded() const {
    const auto from = named_state(*source_, "");
    const auto to = named_state(*target_, "");
    return std::equal(from.begin(), from.end(), to.begin(), [](const auto& a, const auto& b) {
      return torch::equal(a.second, b.second);
    });
  }

  std::shared_ptr<Network> source_;
  std::shared_ptr<Network> target_;
  torch::nn::Linear head_{2, 3};
  torch::Tensor class_vectors_ = torch::zeros({5, 3});
};

TEST_F(InitialWeightsTest, LoadsPlainNamesAndIgnoresAClassifier) {
  auto file = file_of(*source_, "");
  file.tensors.emplace_back("fc.weight", torch::zeros({1000, 2}));
  file.tensors.emplace_back("fc.bias", torch::zeros({1000}));
  const auto loaded = load(file);
  EXPECT_TRUE(everything_loaded());
  EXPECT_EQ(loaded.encoder, 8u);
  EXPECT_FALSE(loaded.head);
  EXPECT_FALSE(loaded.loss);
  EXPECT_THAT(loaded.unused, ElementsAre("fc.weight", "fc.bias"));
  EXPECT_EQ(describe(loaded, targets()),
            "8 encoder tensors, head not loaded, loss not loaded; unused: fc.weight, fc.bias");
}

TEST_F(InitialWeightsTest, AcceptsAnyPrefixOfTheEncoder) {
  for (const auto* prefix :
       {"module.", "encoder.", "backbone.", "model.", "module.encoder.", "state_dict.net.0."}) {
    SetUp();
    auto file = file_of(*source_, prefix);
    file.tensors.emplace_back("module.head.0.weight", torch::zeros({2}));
    EXPECT_EQ(load(file).encoder, 8u) << prefix;
    EXPECT_TRUE(everything_loaded()) << prefix;
  }
}

TEST_F(InitialWeightsTest, PartialNameIsNotAPrefix) {
  EXPECT_THAT(load_error(file_of(*source_, "my_")),
              AllOf(HasSubstr("has none of the encoder's tensors: found my_conv1.weight"),
                    HasSubstr("; expected conv1.weight")));
}

TEST_F(InitialWeightsTest, PrefersTheCompleteEncoderToAPartialOne) {
  auto file = file_of(*source_, "net.");
  for (const auto& [name, tensor] : named_state(Network(), "teacher.")) {
    if (name != "teacher.bn1.running_var") file.tensors.emplace_back(name, tensor);
  }
  EXPECT_EQ(load(file).unused.size(), 7u);
  EXPECT_TRUE(everything_loaded());
}

TEST_F(InitialWeightsTest, RejectsAFileWithTwoEncoders) {
  auto file = file_of(*source_, "encoder_q.");
  append(file.tensors, named_state(Network(), "encoder_k."));
  EXPECT_EQ(load_error(file),
            "w.safetensors has two encoders, 'encoder_k.' and 'encoder_q.', expected one save a "
            "file with only one of them");
  std::erase_if(file.tensors,
                [](const auto& item) { return !item.first.ends_with("conv1.weight"); });
  EXPECT_THAT(load_error(file), HasSubstr("does not fit the encoder: missing bn1.weight"));
}

TEST_F(InitialWeightsTest, LoadsHeadAndLossIfAllTensorsFit) {
  const torch::nn::Linear head(2, 3);
  auto file = file_of(*source_, "");
  append(file.tensors, named_state(*head, "head."));
  file.tensors.emplace_back("loss.class_vectors", torch::ones({5, 3}));
  file.tensors.emplace_back("class_centroids", torch::ones({5, 3}));
  const auto loaded = load(file);
  EXPECT_TRUE(loaded.head && loaded.loss);
  EXPECT_TRUE(torch::equal(head_->weight, head->weight));
  EXPECT_TRUE(torch::equal(class_vectors_, torch::ones({5, 3})));
  EXPECT_EQ(describe(loaded, targets()), "8 encoder tensors, head, loss; unused: class_centroids");
}

TEST_F(InitialWeightsTest, DoesNotLoadAHeadIfOneTensorDoesNotFit) {
  const auto before = head_->weight.clone();
  auto file = file_of(*source_, "");
  file.tensors.emplace_back("head.weight", torch::ones({3, 2}));
  file.tensors.emplace_back("head.bias", torch::ones({4}));
  file.tensors.emplace_back("loss.class_vectors", torch::ones({6, 3}));
  const auto loaded = load(file);
  EXPECT_FALSE(loaded.head || loaded.loss);
  EXPECT_TRUE(torch::equal(head_->weight, before));
  EXPECT_THAT(loaded.unused, ElementsAre("head.weight", "head.bias", "loss.class_vectors"));
}

TEST_F(InitialWeightsTest, ConvertsFloatsToFloatsAndIntegersToIntegers) {
  for (const auto type : {torch::kFloat16, torch::kBFloat16, torch::kFloat64}) {
    auto file = file_of(*source_, "");
    for (auto& [name, tensor] : file.tensors) {
      tensor = tensor.to(tensor.is_floating_point() ? type : torch::kInt32);
    }
    load(file);
    EXPECT_TRUE(
        torch::equal(target_->conv1->weight, source_->conv1->weight.to(type).to(torch::kFloat32)));
    EXPECT_EQ(target_->conv1->weight.scalar_type(), torch::kFloat32);
    EXPECT_EQ(target_->bn1->num_batches_tracked.item<int64_t>(), 17);
  }
  auto file = file_of(*source_, "");
  file.tensors[0].second = torch::ones({4, 3, 3, 3}, torch::kInt64);
  for (auto& [name, tensor] : file.tensors) {
    if (name == "bn1.num_batches_tracked") tensor = torch::ones({});
  }
  EXPECT_EQ(load_error(file),
            "w.safetensors does not fit the encoder: wrong type conv1.weight Long instead of "
            "Float, bn1.num_batches_tracked Float instead of Long");
}

TEST_F(InitialWeightsTest, NumBatchesTrackedMayBeMissing) {
  auto file = file_of(*source_, "");
  std::erase_if(file.tensors,
                [](const auto& item) { return item.first == "bn1.num_batches_tracked"; });
  EXPECT_EQ(load(file).encoder, 7u);
  EXPECT_EQ(target_->bn1->num_batches_tracked.item<int64_t>(), 0);
}

TEST_F(InitialWeightsTest, ListsMismatchesAndChangesNothing) {
  const auto before = target_->last->weight.clone();
  auto file = file_of(Network(3, 7), "module.");
  std::erase_if(file.tensors, [](const auto& item) { return item.first.ends_with("bn1.bias"); });
  EXPECT_EQ(
      load_error(file),
      "w.safetensors does not fit the encoder: missing bn1.bias; wrong shape conv1.weight "
      "[4, 3, 7, 7] instead of [4, 3, 3, 3] the weights may fit with --set encoder.stem=standard");
  EXPECT_TRUE(torch::equal(target_->last->weight, before));
}

TEST_F(InitialWeightsTest, SuggestsTheSettingThatFits) {
  const auto hint = [&](const Network& stored, std::shared_ptr<Network> wanted) -> std::string {
    target_ = std::move(wanted);
    try {
      load(file_of(stored, ""));
    } catch (const Error& error) {
      return error.hint();
    }
    return "nothing was wrong";
  };
  EXPECT_EQ(hint(Network(3, 7), std::make_shared<Network>(3, 3)),
            "the weights may fit with --set encoder.stem=standard");
  EXPECT_EQ(hint(Network(3, 3), std::make_shared<Network>(3, 7)),
            "the weights may fit with --set encoder.stem=small");
  EXPECT_EQ(hint(Network(3, 3), std::make_shared<Network>(1, 3)),
            "the weights may fit with --set input.channels=3");
  EXPECT_EQ(hint(Network(3, 7), std::make_shared<Network>(1, 3)),
            "the weights may fit with --set encoder.stem=standard --set input.channels=3");
  EXPECT_EQ(hint(Network(3, 7, 64), std::make_shared<Network>(3, 3, 16)),
            "the weights may fit with --set encoder.name=resnet18 --set encoder.stem=standard");
  EXPECT_EQ(hint(Network(3, 3, 32), std::make_shared<Network>(3, 3, 16)),
            "the weights may fit with --set encoder.width=32");
  EXPECT_EQ(hint(Network(3, 5), std::make_shared<Network>(3, 3)), "");
}

TEST_F(InitialWeightsTest, RejectsNonfiniteValues) {
  auto file = file_of(*source_, "");
  file.tensors[0].second = torch::full({4, 3, 3, 3}, 1e300, torch::kFloat64);
  EXPECT_THAT(load_error(file), HasSubstr("values in conv1.weight that are not finite as Float"));
  file.tensors[0].second.fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(load_error(file), HasSubstr("conv1.weight"));
}

TEST_F(InitialWeightsTest, ReportsTheTensorsMissingInAnEmptyFile) {
  EXPECT_THAT(load_error({}), HasSubstr("found no tensors; expected conv1.weight, bn1.weight"));
}

TEST_F(InitialWeightsTest, HandlesVeryLongNames) {
  TensorFile file;
  std::string name;
  for (int i = 0; i < 1 << 20; ++i) name += ".";
  file.tensors.emplace_back(name + "conv1.weight", torch::zeros({1}));
  file.tensors.emplace_back("\n\x1b[2J", torch::zeros({1}));
  const auto message = load_error(file);
  EXPECT_LT(message.size(), 4000u);
  EXPECT_THAT(message, HasSubstr("missing bn1.weight"));
  file.tensors.erase(file.tensors.begin());
  EXPECT_THAT(load_error(file), HasSubstr("found \\x0A\\x1B[2J"));
}

TEST_F(InitialWeightsTest, LoadsOnlyTheHeadForAnEncoderWithoutTensors) {
  const WeightTargets targets{.encoder = {}, .head = named_state(*head_, "head."), .loss = {}};
  TensorFile file;
  append(file.tensors, named_state(*torch::nn::Linear(2, 3), "head."));
  const auto loaded = load_initial_weights(targets, file);
  EXPECT_EQ(describe(loaded, targets), "0 encoder tensors, head");
}

TEST_F(InitialWeightsTest, LoadsFromAFile) {
  const ScratchDir dir;
  save_tensors(dir / "a.safetensors", file_of(*source_, "model."));
  EXPECT_EQ(load(load_tensors(dir / "a.safetensors", io::Integrity::kOptional)).encoder, 8u);
  EXPECT_TRUE(everything_loaded());
}

}  // namespace
}  // namespace projnce::checkpoint
