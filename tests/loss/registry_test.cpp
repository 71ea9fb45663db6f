#include "projnce/loss/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/core/table_writer.h"
#include "tests/support/batches.h"

namespace projnce::loss {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Table table_of(const std::string& name) {
  Table table;
  table.values["name"] = {name, {}};
  return table;
}

const LossShape kShape{.num_classes = 3, .embedding_dim = 5, .feature_dim = 7};

ContrastiveBatch small_batch() {
  return make_batch(testing::random_unit_rows(8, 5, 1).to(torch::kFloat32),
                    torch::tensor({0, 1, 2, 0, 1, 2, 0, 1}),
                    torch::tensor({0, 1, 2, 3, 0, 1, 2, 3}),
                    testing::random_normal(8, 7, 2).to(torch::kFloat32));
}

std::string error_message_of(const Table& table, const LossShape& shape = kShape) {
  try {
    make_loss(parse_loss_options(table), shape);
  } catch (const Error& error) {
    return concat(error.what(), " ", error.hint());
  }
  return "nothing was wrong";
}

class LossRegistry : public ::testing::Test {
 protected:
  /// Losses with parameters draw their initial values from the global generator.
  void SetUp() override { torch::manual_seed(1); }
};

TEST_F(LossRegistry, EveryNameMakesALossThatRuns) {
  for (const auto& name : loss_names()) {
    const auto value = make_loss(loss_options(name), kShape)->evaluate(small_batch());
    EXPECT_TRUE(std::isfinite(value.loss.item<double>())) << name;
    EXPECT_EQ(value.loss.dim(), 0) << name;
    EXPECT_FALSE(value.parts.empty()) << name;
    for (const auto& [part, tensor] : value.parts) {
      EXPECT_FALSE(tensor.requires_grad()) << name << " " << part;
      EXPECT_EQ(tensor.numel(), 1) << name << " " << part;
    }
  }
}

TEST_F(LossRegistry, NamesAreInOrder) {
  const auto names = loss_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST_F(LossRegistry, DefaultsAreWrittenInFull) {
  const auto table = to_table(parse_loss_options(table_of("projnce")));
  EXPECT_EQ(std::get<double>(table.values.at("temperature").data), 0.07);
  EXPECT_EQ(std::get<std::string>(table.values.at("r_centroid").data), "leave_one_out");
}

TEST_F(LossRegistry, OptionsReadBackAsTheyWereWritten) {
  for (const auto& name : loss_names()) {
    const auto written = to_table(loss_options(name));
    const auto again = to_table(parse_loss_options(written));
    EXPECT_EQ(again.values.size(), written.values.size()) << name;
    EXPECT_EQ(again.tables.size(), written.tables.size()) << name;
    for (const auto& [key, value] : written.values) {
      EXPECT_EQ(again.values.at(key).data.index(), value.data.index()) << name << " " << key;
    }
  }
}

TEST_F(LossRegistry, APresetSetsItsOptionsAndSingleOnesOverrideIt) {
  auto table = table_of("projnce");
  table.values["preset"] = {std::string("paper"), {}};
  table.values["r_exclude"] = {std::string("none"), {}};
  table = to_table(parse_loss_options(table));
  EXPECT_TRUE(std::get<bool>(table.values.at("include_self_pos").data));
  EXPECT_EQ(std::get<std::string>(table.values.at("r_centroid").data), "full");
  EXPECT_EQ(std::get<std::string>(table.values.at("r_exclude").data), "none");
  EXPECT_EQ(std::get<std::string>(table.values.at("preset").data), "paper");
}

TEST_F(LossRegistry, ReturnsTheTemperatureOfTheLoss) {
  for (const auto& name : loss_names()) {
    const bool has_one = name != "ce" && name != "sce";
    EXPECT_EQ(temperature_of(loss_options(name)), has_one ? std::optional(0.07) : std::nullopt)
        << name;
  }
}

TEST_F(LossRegistry, RejectsInvalidOptionsWhenTheyAreRead) {
  auto table = table_of("sce");
  table.values["A"] = {1.0, "run.toml:3"};
  EXPECT_THAT(error_message_of(table),
              HasSubstr("run.toml:3: [loss] A = 1 is out of range, expected below 0"));
  table = table_of("projnce-mlp");
  table.values["class_weight"] = {std::string("uniform"), {}};
  table.values["denominator"] = {std::string("exclude_self"), {}};
  EXPECT_THAT(error_message_of(table),
              AllOf(HasSubstr("no anchor to exclude"), HasSubstr("set denominator")));
  table = table_of("generalized-infonce");
  table.values["projection_pos"] = {std::string("fixed"), {}};
  EXPECT_THAT(error_message_of(table), HasSubstr("file is missing"));
  EXPECT_THROW(make_loss({"ce", SupConOptions{}}, kShape), c10::Error);
}

TEST_F(LossRegistry, TrainingPriorsComeWithTheShape) {
  auto table = table_of("projnce-perp");
  table.values["soft_source"] = {std::string("hard"), {}};
  table.values["leave_one_out"] = {std::string("instance"), {}};
  table.values["priors"] = {std::string("training"), {}};
  EXPECT_THAT(error_message_of(table), HasSubstr("needs class_priors"));
  auto shape = kShape;
  shape.class_priors = torch::tensor({.5, .5});
  EXPECT_THAT(error_message_of(table, shape), HasSubstr("there are 2 class priors, expected 3"));
  shape.class_priors = torch::tensor({.5, .25, .25});
  auto batch = small_batch();
  batch.anchor_instances = batch.candidate_instances = torch::Tensor();
  const auto loss = make_loss(parse_loss_options(table), shape)->evaluate(batch).loss;
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  table.values["denominator"] = {std::string("exclude_self"), {}};
  EXPECT_THAT(error_message_of(table, shape),
              HasSubstr("[loss] projnce-perp: leave_one_out = 'instance'"));
  table = table_of("projnce-perp");
  table.values["priors"] = {std::string("uniform"), {}};
  EXPECT_THAT(error_message_of(table), HasSubstr("belong to leave_one_out = 'instance'"));
}

TEST_F(LossRegistry, RejectsUnknownNamesAndFields) {
  EXPECT_THAT(error_message_of(table_of("supkon")),
              AllOf(HasSubstr("supkon"), HasSubstr("supcon")));
  auto table = table_of("supcon");
  table.values["temprature"] = {0.1, {}};
  EXPECT_THAT(error_message_of(table), AllOf(HasSubstr("temprature"), HasSubstr("temperature")));
  table = table_of("ce");
  table.values["temperature"] = {0.1, {}};
  EXPECT_THAT(error_message_of(table), HasSubstr("temperature"));
}

TEST_F(LossRegistry, GeneralizedInfoNCECombinesAnyTwoProjectionsByName) {
  const auto load = [](const std::string& path) {
    EXPECT_EQ(path, "labels.npy");
    return testing::random_normal(3, 5, 3).to(torch::kFloat32);
  };
  for (const auto& pos : projection::projection_names()) {
    for (const auto& neg : projection::projection_names()) {
      auto table = table_of("generalized-infonce");
      table.values["projection_pos"] = {pos, {}};
      table.values["projection_neg"] = {neg, {}};
      if (pos == "fixed") table.tables["pos"].values["file"] = {std::string("labels.npy"), {}};
      if (neg == "fixed" && pos != neg) {
        table.tables["neg"].values["file"] = {std::string("labels.npy"), {}};
      }
      const auto loss = make_loss(parse_loss_options(table), kShape, load)->forward(small_batch());
      EXPECT_TRUE(std::isfinite(loss.item<double>())) << pos << " " << neg;
    }
  }
}

TEST_F(LossRegistry, AcceptsThePapersNameOfGeneralizedInfoNCE) {
  EXPECT_EQ(parse_loss_options(table_of("selfp")).name, "generalized-infonce");
}

TEST_F(LossRegistry, ProjectionsOfOneNameAreOneObject) {
  auto table = table_of("generalized-infonce");
  table.values["projection_pos"] = {std::string("mlp"), {}};
  table.values["projection_neg"] = {std::string("mlp"), {}};
  EXPECT_EQ(make_loss(parse_loss_options(table), kShape)->parameters().size(), 1U);
  table.tables["neg"].values["hidden"] = {int64_t{4}, {}};
  EXPECT_THAT(error_message_of(table), HasSubstr("unknown key 'neg'"));
}

TEST_F(LossRegistry, RejectsAShapeThatCannotBe) {
  EXPECT_THAT(error_message_of(table_of("projnce-mlp"), {}), HasSubstr("num_classes"));
  EXPECT_THAT(error_message_of(table_of("ce"), {}), HasSubstr("num_classes"));
}

}  // namespace
}  // namespace projnce::loss
