#include "projnce/inference/protocol_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/encoder/registry.h"
#include "projnce/eval/accuracy.h"
#include "projnce/inference/trained_model.h"
#include "projnce/loss/registry.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::inference {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

constexpr int64_t kReadoutClasses = 3;

/// Untrained model for 4-dimensional vectors.
TrainedModel make_model(const std::string& loss) {
  torch::manual_seed(1);
  TrainedModel trained;
  trained.config = read_options<ModelConfig>(
      parse_toml("[encoder]\nname = 'mlp'\nlayers = 1\nwidth = 6\ndim = 5\n"
                 "[input]\nkind = 'vector'\nvector_size = 4\n"
                 "mean = [0.0]\nstd = [1.0]\n[loss]\nname = '" +
                     loss + "'\n",
                 "test"),
      "");
  trained.class_names = {"a", "b", "c"};
  trained.train_classes = kReadoutClasses;
  trained.input = config::input_options(trained.config.input);
  trained.model = encoder::make_model(trained.config.encoder, trained.input.shape());
  trained.loss =
      loss::make_loss(trained.config.loss, {.num_classes = kReadoutClasses,
                                            .embedding_dim = trained.model->embedding_dim(),
                                            .feature_dim = trained.model->feature_dim()});
  trained.class_vectors = torch::randn({kReadoutClasses, trained.model->embedding_dim()});
  return trained;
}

EmbeddedSet make_set(const TrainedModel& trained, int64_t rows) {
  torch::manual_seed(2);
  return {.embeddings = torch::randn({rows, trained.model->embedding_dim()}),
          .features = torch::randn({rows, trained.model->feature_dim()}),
          .labels = torch::arange(rows) % kReadoutClasses,
          .indices = torch::arange(rows)};
}

/// Sets the readout of the model, fitted to random samples.
TrainedModel with_protocol(TrainedModel trained, eval::Protocol protocol) {
  EvalInputs samples = eval_inputs(trained, make_set(trained, 20));
  samples.reference = make_set(trained, 30);
  trained.readout = make_readout(protocol, samples, {.neighbors = 0});
  trained.readout.temperature = 0.25;
  trained.epoch = 7;
  trained.rule = EpochRule::kBestValidation;
  return trained;
}

struct ReadoutCase {
  const char* loss;
  eval::Protocol protocol;
};

class ReadoutFile : public ::testing::TestWithParam<ReadoutCase> {};

TEST_P(ReadoutFile, LoadedModelPredictsLikeTheSavedOne) {
  const ScratchDir scratch;
  const auto written = with_protocol(make_model(GetParam().loss), GetParam().protocol);
  save_trained_model(scratch / "e.safetensors", written);
  const auto read = load_trained_model(scratch / "e.safetensors");
  EXPECT_EQ(read.readout.protocol, GetParam().protocol);
  EXPECT_EQ(read.readout.temperature, 0.25);
  EXPECT_EQ(read.epoch, 7);
  EXPECT_EQ(read.rule, EpochRule::kBestValidation);
  const auto set = make_set(written, 20);
  EXPECT_TRUE(torch::equal(readout_scores(read, set), readout_scores(written, set)));
}

TEST_P(ReadoutFile, ProbabilitiesRankClassesLikeScores) {
  const auto trained = with_protocol(make_model(GetParam().loss), GetParam().protocol);
  const auto scores = readout_scores(trained, make_set(trained, 20));
  const auto probabilities = readout_probabilities(trained.readout, scores);
  EXPECT_TRUE(torch::equal(eval::predict_class(scores), eval::predict_class(probabilities)));
  EXPECT_TRUE(probabilities.sum(1).allclose(torch::ones({20}, torch::kFloat64)));
}

INSTANTIATE_TEST_SUITE_P(EveryReadout, ReadoutFile,
                         ::testing::Values(ReadoutCase{"supcon", eval::Protocol::kNearestCentroid},
                                           ReadoutCase{"projnce-mlp", eval::Protocol::kProjection},
                                           ReadoutCase{"ce", eval::Protocol::kLogits},
                                           ReadoutCase{"projnce-mlp", eval::Protocol::kKnn},
                                           ReadoutCase{"supcon", eval::Protocol::kProbe}));

class CorruptReadout : public ::testing::Test {
 protected:
  /// Saves a model, applies `change` to its file, and returns the error message of loading it.
  template <class Change>
  std::string error_after(eval::Protocol protocol, const Change& change) {
    const auto path = scratch_ / "e.safetensors";
    save_trained_model(path, with_protocol(make_model("projnce-mlp"), protocol));
    auto file = checkpoint::load_tensors(path);
    change(file);
    checkpoint::save_tensors(path, file);
    return error_message_of([&] { load_trained_model(path); });
  }

  ScratchDir scratch_;
};

TEST_F(CorruptReadout, FilesOfOlderVersionsPredictAsBefore) {
  const auto drop = [](checkpoint::TensorFile& file) { file.metadata.erase("readout"); };
  EXPECT_EQ(error_after(eval::Protocol::kProjection, drop), "nothing was wrong");
  const auto old = load_trained_model(scratch_ / "e.safetensors");
  EXPECT_EQ(old.readout.protocol, eval::Protocol::kNearestCentroid);
  EXPECT_FALSE(old.readout.calibrated());
  EXPECT_EQ(old.epoch, 0);
}

TEST_F(CorruptReadout, RejectsInvalidMetadata) {
  const auto set = [](const char* text) {
    return [text](checkpoint::TensorFile& file) { file.metadata["readout"] = text; };
  };
  EXPECT_THAT(error_after(eval::Protocol::kNearestCentroid, set("{")), HasSubstr("the readout of"));
  EXPECT_THAT(error_after(eval::Protocol::kNearestCentroid, set(R"({"protocol": "magic"})")),
              HasSubstr("magic"));
  EXPECT_THAT(
      error_after(eval::Protocol::kNearestCentroid,
                  set(R"({"protocol": "logits", "temperature": 1, "epoch": 1, "rule": "last"})")),
      HasSubstr("its loss does not provide"));
  EXPECT_THAT(
      error_after(
          eval::Protocol::kNearestCentroid,
          set(R"({"protocol": "nearest-centroid", "temperature": -1, "epoch": 1, "rule": ""})")),
      HasSubstr("temperature -1"));
}

TEST_F(CorruptReadout, RejectsTensorsThatDoNotFitTheModel) {
  const auto change = [](const char* name, const torch::Tensor& tensor) {
    return [name, tensor](checkpoint::TensorFile& file) {
      std::erase_if(file.tensors, [&](const auto& item) { return item.first == name; });
      if (tensor.defined()) file.tensors.emplace_back(name, tensor);
    };
  };
  EXPECT_THAT(error_after(eval::Protocol::kProbe, change("readout.probe_bias", {})),
              HasSubstr("lacks a tensor of its readout: readout.probe_bias"));
  EXPECT_THAT(error_after(eval::Protocol::kProbe, change("readout.probe_bias", torch::zeros({4}))),
              HasSubstr("does not fit the model: readout.probe_bias"));
  EXPECT_THAT(error_after(eval::Protocol::kKnn,
                          change("readout.knn_labels", torch::full({30}, 3, torch::kLong))),
              HasSubstr("out of range"));
}

}  // namespace
}  // namespace projnce::inference
