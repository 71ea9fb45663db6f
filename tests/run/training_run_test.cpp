#include "projnce/run/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/inference/audit.h"
#include "projnce/inference/embed.h"
#include "projnce/inference/embedding_map.h"
#include "projnce/inference/evaluate.h"
#include "projnce/inference/export_run.h"
#include "projnce/inference/predict.h"
#include "projnce/report/build/report.h"
#include "projnce/run/delivery.h"
#include "tests/run/tiny_training.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::run {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using testing::contents;
using ::testing::HasSubstr;
using testing::names_in;
using testing::ScratchDir;

nlohmann::ordered_json read_summary(const fs::path& run) {
  return nlohmann::ordered_json::parse(contents(io::RunPaths{run}.summary()));
}

/// Metadata without timings.
std::map<std::string, std::string> without_timings(std::map<std::string, std::string> metadata) {
  auto progress = progress_from_text(metadata.at("run"));
  progress.train_seconds = 0;
  progress.eval_seconds = 0;
  metadata["run"] = to_text(progress);
  return metadata;
}

void expect_same_checkpoint(const fs::path& left, const fs::path& right) {
  const auto a = checkpoint::load_tensors(left);
  const auto b = checkpoint::load_tensors(right);
  EXPECT_EQ(without_timings(a.metadata), without_timings(b.metadata)) << left;
  ASSERT_EQ(a.tensors.size(), b.tensors.size()) << left;
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].first, b.tensors[i].first);
    EXPECT_TRUE(torch::equal(a.tensors[i].second, b.tensors[i].second))
        << left << ": " << a.tensors[i].first;
  }
}

void expect_same_run(const io::RunPaths& left, const io::RunPaths& right) {
  for (const auto* name : {"metrics.jsonl", "embeddings.npy", "labels.npy", "train_labels.npy",
                           "encoder.safetensors"}) {
    EXPECT_EQ(contents(left.root / name), contents(right.root / name)) << name;
  }
  const auto checkpoints = names_in(left.checkpoints());
  EXPECT_GT(checkpoints.size(), 4U);
  EXPECT_EQ(checkpoints, names_in(right.checkpoints()));
  for (const auto& name : checkpoints) {
    expect_same_checkpoint(left.checkpoints() / name, right.checkpoints() / name);
  }
}

class ResumedRunTest : public ::testing::Test {
 protected:
  ResumedRunTest() { write_photos(dir_ / "photos"); }

  TrainRequest request(const std::string& name) const {
    return tiny_training(dir_ / "photos", dir_ / name);
  }
  TrainRequest resume(const std::string& name) const {
    return {.run = {}, .out = dir_ / name, .resume = true, .command = {}};
  }

  ScratchDir dir_;
};

TEST_F(ResumedRunTest, ResumingTwiceEqualsAnUninterruptedRun) {
  ASSERT_TRUE(train_for(request("whole"), kUnlimited).finished);
  auto live = request("parts");
  live.live = true;
  const auto stopped = train_for(live, 2);
  EXPECT_FALSE(stopped.finished);
  const io::RunPaths parts{dir_ / "parts"};
  EXPECT_THAT(contents(parts.report()), HasSubstr("parts")) << "live report of a run in progress";
  EXPECT_FALSE(fs::exists(parts.summary()));

  auto resumed = resume("parts");
  resumed.live = true;
  EXPECT_FALSE(train_for(resumed, 3).finished);
  EXPECT_TRUE(train_for(resume("parts"), kUnlimited).finished);
  expect_same_run(io::RunPaths{dir_ / "whole"}, parts);
}

TEST_F(ResumedRunTest, DeliversTheSameValidationEpoch) {
  const auto with_validation = [this](const std::string& name) {
    auto validated = request(name);
    validated.run.settings.emplace_back("train.validation=0.2");
    return validated;
  };
  EXPECT_TRUE(train_for(with_validation("whole"), kUnlimited).finished);
  EXPECT_FALSE(train_for(with_validation("parts"), 3).finished);
  EXPECT_TRUE(train_for(resume("parts"), kUnlimited).finished);
  EXPECT_EQ(read_summary(dir_ / "whole").at("delivered"),
            read_summary(dir_ / "parts").at("delivered"));
  expect_same_run(io::RunPaths{dir_ / "whole"}, io::RunPaths{dir_ / "parts"});
}

TEST_F(ResumedRunTest, DoesNotTrainAFinishedRunAgain) {
  EXPECT_TRUE(train_for(request("run"), kUnlimited).finished);
  const io::RunPaths run{dir_ / "run"};
  const auto metrics = contents(run.metrics());
  const auto summary = contents(run.summary());
  EXPECT_TRUE(train_for(resume("run"), kUnlimited).finished);
  EXPECT_EQ(contents(run.metrics()), metrics);
  EXPECT_EQ(contents(run.summary()), summary);
}

/// One finished run, shared by all tests, which only read it.
class FinishedRunTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<ScratchDir>();
    write_photos(*dir_ / "photos");
    outcome_ = std::make_unique<TrainOutcome>(
        train_for(tiny_training(*dir_ / "photos", *dir_ / "run"), kUnlimited));
  }
  static void TearDownTestSuite() {
    outcome_.reset();
    dir_.reset();
  }

  static fs::path run() { return *dir_ / "run"; }
  static nlohmann::ordered_json summary() { return read_summary(run()); }

  static std::unique_ptr<ScratchDir> dir_;
  static std::unique_ptr<TrainOutcome> outcome_;
};

std::unique_ptr<ScratchDir> FinishedRunTest::dir_;
std::unique_ptr<TrainOutcome> FinishedRunTest::outcome_;

TEST_F(FinishedRunTest, WritesASummary) {
  ASSERT_TRUE(outcome_->finished);
  EXPECT_EQ(outcome_->lost_checkpoints, 0);
  const auto samples = summary().at("samples");
  EXPECT_EQ(samples.at("train").get<int>() + samples.at("test").get<int>(), 2 * kPerClass);
  EXPECT_GE(summary().at("accuracy").at("last").get<double>(), 0.75) << "two classes, two epochs";
}

TEST_F(FinishedRunTest, EvaluatesToTheAccuracyOfTraining) {
  const auto result = inference::evaluate_run(
      {.run = run(), .data = {}, .protocol = {}, .context = {}}, silent_logger());
  EXPECT_EQ(result.results.front().accuracy.top1,
            summary().at("accuracy").at("last").get<double>());
  EXPECT_EQ(result.samples, summary().at("samples").at("test").get<int64_t>());
  EXPECT_EQ(result.class_names, (std::vector<std::string>{"bright", "dark"}));
  EXPECT_EQ(result.data.value().gone, 0);
}

TEST_F(FinishedRunTest, PredictsTheClassesOfFiles) {
  const auto predicted = inference::predict_inputs(
      {.run = run(), .inputs = {*dir_ / "photos/dark/3.png", *dir_ / "photos/bright/4.png"}});
  ASSERT_EQ(predicted.rows.size(), 2U);
  EXPECT_EQ(predicted.rows[0].classes.at(0).name, "dark");
  EXPECT_EQ(predicted.rows[1].classes.at(0).name, "bright");
}

TEST_F(FinishedRunTest, EmbedsItsOwnData) {
  const auto output = *dir_ / "embeddings.npy";
  const auto result = inference::embed_inputs(
      {.run = run(), .inputs = {}, .output = output, .context = {}}, silent_logger());
  EXPECT_EQ(result.rows, 2 * kPerClass);
  EXPECT_EQ(result.dim, 8);
  EXPECT_EQ(result.embeddings, output);
  EXPECT_TRUE(fs::exists(result.names));
  EXPECT_TRUE(fs::exists(result.labels));
  EXPECT_GT(fs::file_size(output), 2U * kPerClass * 8U * sizeof(float));
}

TEST_F(FinishedRunTest, AuditsEveryLabel) {
  const auto output = *dir_ / "label_issues.csv";
  const auto audit = inference::audit_run(
      {.run = run(), .output = output, .sheet = {}, .features = {}, .options = {}, .context = {}},
      silent_logger());
  const auto lines = contents(output);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 2 * kPerClass);
  EXPECT_EQ(audit.report.samples, 2 * kPerClass);
  EXPECT_EQ(audit.report.splits.size(), 2U);
  EXPECT_EQ(audit.files, std::vector<fs::path>{output});
}

TEST_F(FinishedRunTest, MapsItsTestSamples) {
  const auto plot = *dir_ / "map.svg";
  const auto map = inference::map_embeddings({.input = run(),
                                              .labels = {},
                                              .outputs = {*dir_ / "map.npy", plot},
                                              .method = inference::MapMethod::kPca},
                                             silent_logger());
  EXPECT_EQ(map.samples, summary().at("samples").at("test").get<int64_t>());
  EXPECT_FALSE(map.tsne) << "PCA";
  EXPECT_EQ(map.files, (std::vector<fs::path>{*dir_ / "map.npy", plot}));
  EXPECT_THAT(contents(plot), HasSubstr("bright"));
  EXPECT_GT(fs::file_size(*dir_ / "map.npy"), map.samples * 2U * sizeof(float));
}

TEST_F(FinishedRunTest, StartsAnotherRunWithItsWeights) {
  auto other = tiny_training(*dir_ / "photos", *dir_ / "init");
  other.run.init = run();
  other.run.settings.insert(other.run.settings.end(),
                            {"train.epochs=1", "train.learning_rate=1e-12"});
  ASSERT_TRUE(train_for(other, kUnlimited).finished);
  // The weights, without running means and the class centroids, which are of the training data.
  const auto parameters = [](const fs::path& directory) {
    std::map<std::string, torch::Tensor> found;
    for (const auto& [name, tensor] :
         checkpoint::load_tensors(io::RunPaths{directory}.encoder(), io::Integrity::kOptional)
             .tensors) {
      if (!tensor.is_floating_point() || name == "class_centroids") continue;
      if (name.find("running_") == name.npos) found[name] = tensor;
    }
    return found;
  };
  const auto before = parameters(run());
  const auto after = parameters(*dir_ / "init");
  ASSERT_GT(before.size(), 4U);
  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(torch::allclose(tensor, after.at(name), 0, 1e-6)) << name;
  }
  const auto init = read_summary(*dir_ / "init").at("data").at("init");
  EXPECT_EQ(init.at("run"), run().string());
  EXPECT_EQ(init.at("test_samples_seen"), 0);
}

TEST_F(FinishedRunTest, ExportsItsModel) {
  const auto onnx = *dir_ / "model.onnx";
  const auto weights = *dir_ / "model.safetensors";
  const auto result =
      inference::export_run({.run = run(), .onnx = onnx, .safetensors = weights, .classes = true});
  EXPECT_EQ(result.onnx.value().file, onnx);
  EXPECT_EQ(result.onnx->inputs.at(0).name, "image");
  EXPECT_EQ(result.safetensors.value().file, weights);
  EXPECT_THAT(contents(onnx), HasSubstr("probability"));
  std::vector<std::string> names;
  for (const auto& [name, tensor] :
       checkpoint::load_tensors(weights, io::Integrity::kOptional).tensors) {
    names.push_back(name);
  }
  EXPECT_THAT(names, Contains("conv1.weight"));
  EXPECT_EQ(result.safetensors->tensors, static_cast<int64_t>(names.size()));
  EXPECT_FALSE(inference::export_run({.run = run(), .onnx = onnx, .safetensors = {}}).safetensors);
}

TEST_F(FinishedRunTest, WritesTheSameReportAsTraining) {
  EXPECT_EQ(outcome_->report, io::RunPaths{run()}.report());
  const auto page = *dir_ / "page.html";
  const auto result =
      report::report_runs({.runs = {run()}, .output = page, .context = {}}, silent_logger());
  EXPECT_EQ(result.runs, 1U);
  EXPECT_EQ(result.bytes, fs::file_size(result.file));
  EXPECT_EQ(contents(page), contents(io::RunPaths{run()}.report())) << "same as after training";
  EXPECT_THAT(names_in(run()), Contains("tsne.npy"));
}

TEST_F(FinishedRunTest, ComparesWithAnotherRun) {
  auto other = tiny_training(*dir_ / "photos", *dir_ / "supcon");
  other.run.settings.emplace_back("loss.name=supcon");
  ASSERT_TRUE(train_for(other, kUnlimited).finished);
  const auto page = *dir_ / "compared.html";
  const auto result = report::report_runs(
      {.runs = {run(), *dir_ / "supcon"}, .output = page, .context = {}}, silent_logger());
  EXPECT_EQ(result.runs, 2U);
  EXPECT_THAT(contents(page), HasSubstr("Comparison of 2 runs"));
}

}  // namespace
}  // namespace projnce::run
