#include "projnce/reproduce/experiment.h"

#include <gtest/gtest.h>

#include "projnce/loss/registry.h"
#include "tests/support/error_message.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::reproduce {
namespace {

using testing::error_message_of;
using testing::ScratchDir;
using testing::write_text;

std::vector<std::string> method_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const auto& method : experiment.methods) names.push_back(method.name);
  return names;
}

TEST(PaperExperiments, AreTheFiveTablesAndThreeFigures) {
  EXPECT_EQ(experiment_names(), (std::vector<std::string>{"figure1", "figure2", "figure3", "table1",
                                                          "table2", "table3", "table4", "table5"}));
}

TEST(PaperExperiments, ParseAtEveryScale) {
  for (const auto& scale : scale_names()) {
    for (const auto& name : experiment_names()) {
      const auto experiment = read_experiment(name, scale);
      EXPECT_EQ(experiment.name, name);
      EXPECT_FALSE(experiment.title.empty()) << name;
      EXPECT_FALSE(experiment.question.empty()) << name;
    }
  }
}

TEST(PaperExperiments, UseExistingLosses) {
  torch::manual_seed(1);
  const loss::LossShape shape{.num_classes = 3, .embedding_dim = 4, .feature_dim = 5};
  for (const auto& name : experiment_names()) {
    for (const auto& method : read_experiment(name, "full").methods) {
      const auto options = loss::parse_loss_options(method.settings.tables.at("loss"));
      EXPECT_NE(loss::make_loss(options, shape), nullptr) << method.name;
    }
  }
}

TEST(PaperExperiments, CompareWhatThePaperCompares) {
  EXPECT_EQ(method_names(read_experiment("table4", "full")),
            (std::vector<std::string>{"ce", "sce", "simclr", "rince-self", "rince", "supcon",
                                      "symnce", "projnce-med", "projnce-mlp"}));
  EXPECT_EQ(read_experiment("table4", "full").conditions.size(), 8u);
  EXPECT_EQ(read_experiment("table3", "full").datasets.size(), 7u);
  EXPECT_EQ(read_experiment("figure3", "full").methods.size(), 15u);
  EXPECT_EQ(read_experiment("figure1", "full").map_seed, 1);
}

TEST(PaperExperiments, HaveFewerRowsAndColumnsAtSmallScales) {
  EXPECT_EQ(read_experiment("table4", "laptop").conditions.size(), 4u);
  EXPECT_EQ(read_experiment("figure3", "smoke").methods.size(), 3u);
}

TEST(PaperExperiments, ContainThePublishedValues) {
  size_t published = 0;
  for (const auto& name : experiment_names()) {
    for (const auto& [dataset, conditions] : read_experiment(name, "full").paper) {
      for (const auto& [condition, values] : conditions) published += values.size();
    }
  }
  EXPECT_EQ(published, 125u);
  const auto table = read_experiment("table4", "full");
  EXPECT_EQ(table.paper_number("stl10", "clean", "simclr"), 74.4);
  EXPECT_EQ(table.paper_number("stl10", "noise-70", "projnce-mlp"), 38.83);
  EXPECT_EQ(table.paper_number("cifar10", "clean", "simclr"), std::nullopt);
}

TEST(ReadExperiment, ReadsAUserFile) {
  const ScratchDir scratch;
  write_text(scratch / "mine.toml",
             "datasets = ['mnist']\nconditions = ['noise-20']\ncompare = ['hot', 'ce']\n"
             "[methods.hot]\ntitle = 'SupCon, hot'\nsettings.loss = {name = 'supcon', "
             "temperature = 0.5}\n[paper.mnist.noise-20]\nce = 91\n");
  const auto experiment = read_experiment((scratch / "mine.toml").string(), "laptop");
  EXPECT_EQ(experiment.name, "mine");
  EXPECT_EQ(method_names(experiment), (std::vector<std::string>{"hot", "ce"}));
  EXPECT_EQ(experiment.methods[0].title, "SupCon, hot");
  EXPECT_EQ(experiment.methods[1].title, "CE");
  EXPECT_EQ(experiment.conditions[0].title, "20 % wrong labels");
  EXPECT_EQ(experiment.paper_number("mnist", "noise-20", "ce"), 91);
}

TEST(ReadExperiment, AcceptsTheFormerNameOfAMeasure) {
  const ScratchDir scratch;
  write_text(
      scratch / "mine.toml",
      "datasets = ['mnist']\nconditions = ['clean']\ncompare = ['ce']\nmeasures = ['own']\n");
  const auto experiment = read_experiment((scratch / "mine.toml").string(), "laptop");
  EXPECT_EQ(experiment.measures, std::vector{Measure::kReadout});
  ASSERT_EQ(experiment.deprecations.size(), 1U);
  EXPECT_EQ(experiment.deprecations[0], "'own' in measures is deprecated, use 'readout'");
}

TEST(ReadExperiment, NamesInvalidKeysAndValues) {
  EXPECT_NE(error_message_of([] { read_experiment("tabel4", "full"); }).find("table4"),
            std::string::npos);
  const ScratchDir scratch;
  const auto file = (scratch / "mine.toml").string();
  const auto read = [&] { read_experiment(file, "laptop"); };
  const std::string rest = "datasets = ['mnist']\nconditions = ['clean']\n";
  write_text(file, rest + "compare = ['supkon']\n");
  EXPECT_NE(error_message_of(read).find("supcon"), std::string::npos);
  write_text(file, rest + "compare = []\n");
  EXPECT_NE(error_message_of(read).find("no methods"), std::string::npos);
  write_text(file, rest + "compare = ['ce']\nmeasures = ['luck']\n");
  EXPECT_NE(error_message_of(read).find("luck"), std::string::npos);
  write_text(file, rest + "compare = ['ce']\ncaption = 'x'\n");
  EXPECT_NE(error_message_of(read).find("caption"), std::string::npos);
  write_text(file, rest + "compare = ['ce']\n[paper.mnist.clean]\nce = 'high'\n");
  EXPECT_NE(error_message_of(read).find("expected a number, the published value of ce"),
            std::string::npos);
}

TEST(Scales, RangeFromSmokeToThePapersRecipe) {
  EXPECT_EQ(scale_names(), (std::vector<std::string>{"full", "laptop", "smoke"}));
  const auto full = read_scale("full").settings_for("cifar10", SampleKind::kImage);
  EXPECT_EQ(std::get<std::string>(full.tables.at("encoder").values.at("name").data), "resnet18");
  EXPECT_EQ(number_in(full.tables.at("train").values.at("epochs")), 500);
  EXPECT_EQ(number_in(full.tables.at("train").values.at("batch_size")), 256);
  EXPECT_NE(error_message_of([] { read_scale("huge"); }).find("full, laptop, smoke"),
            std::string::npos);
}

TEST(Scales, DependOnTheDatasetAndItsKind) {
  const auto epochs = [](const std::string& dataset, SampleKind kind) {
    const auto table = read_scale("full").settings_for(dataset, kind);
    return number_in(table.tables.at("train").values.at("epochs"));
  };
  EXPECT_EQ(epochs("imagenet", SampleKind::kImage), 100);
  EXPECT_EQ(epochs("speech-commands", SampleKind::kAudio), 150);
  const auto audio = read_scale("laptop").settings_for("esc50", SampleKind::kAudio);
  EXPECT_EQ(std::get<std::string>(audio.tables.at("encoder").values.at("name").data), "audio-cnn");
}

}  // namespace
}  // namespace projnce::reproduce
