// A whole run on a device other than the CPU: training, checkpoints, resuming, evaluation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "projnce/inference/audit.h"
#include "projnce/inference/embed.h"
#include "projnce/inference/evaluate.h"
#include "projnce/inference/predict.h"
#include "projnce/io/filesystem/run_directory.h"
#include "tests/device/guarded_device.h"
#include "tests/run/tiny_training.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::contents;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

class DeviceRun : public ::testing::Test {
 protected:
  DeviceRun() { write_photos(photos_); }

  TrainRequest request(const std::string& name, const std::string& device,
                       const std::vector<std::string>& settings = {}) const {
    auto request = tiny_training(photos_, dir_ / name);
    request.run.settings.push_back("train.device=" + device);
    for (const auto& setting : settings) request.run.settings.push_back(setting);
    return request;
  }

  TrainRequest resumed(const std::string& name, const std::vector<std::string>& settings = {}) {
    return {.run = {.config = {}, .data = {}, .settings = settings},
            .out = dir_ / name,
            .resume = true,
            .command = {}};
  }

  double accuracy(const std::string& name) const {
    const auto summary = nlohmann::json::parse(contents(io::RunPaths{dir_ / name}.summary()));
    return summary.at("delivered").at("top1");
  }

  ScratchDir dir_;
  fs::path photos_ = dir_ / "photos";
};

TEST_F(DeviceRun, EqualsARunOnTheCpu) {
  EXPECT_TRUE(train_for(request("cpu", "cpu"), kUnlimited).finished);
  EXPECT_TRUE(train_for(request("device", "guarded:0"), kUnlimited).finished);
  EXPECT_EQ(accuracy("device"), accuracy("cpu"));
  EXPECT_TRUE(fs::exists(io::RunPaths{dir_ / "device"}.report()));
}

TEST_F(DeviceRun, ResumesOnTheSameAndOnAnotherDevice) {
  EXPECT_TRUE(train_for(request("whole", "guarded"), kUnlimited).finished);
  EXPECT_FALSE(train_for(request("stopped", "guarded"), 3).finished);
  fs::copy(dir_ / "stopped", dir_ / "moved", fs::copy_options::recursive);
  EXPECT_TRUE(train_for(resumed("stopped"), kUnlimited).finished);
  EXPECT_EQ(contents(io::RunPaths{dir_ / "stopped"}.embeddings()),
            contents(io::RunPaths{dir_ / "whole"}.embeddings()))
      << "resuming on the same device is exact";
  EXPECT_TRUE(train_for(resumed("moved", {"train.device=cpu"}), kUnlimited).finished);
  EXPECT_EQ(accuracy("moved"), accuracy("whole"));
}

TEST_F(DeviceRun, OtherCommandsUseTheDevice) {
  EXPECT_TRUE(train_for(request("run", "cpu"), kUnlimited).finished);
  const auto evaluate = [&](const std::string& device) {
    return inference::evaluate_run({.run = dir_ / "run",
                                    .data = {},
                                    .protocol = {.protocols = {"all"}},
                                    .context = {},
                                    .device = device},
                                   silent_logger());
  };
  const auto expected = evaluate("cpu");
  const auto found = evaluate("guarded");
  ASSERT_EQ(found.results.size(), expected.results.size());
  for (size_t i = 0; i < found.results.size(); ++i) {
    EXPECT_EQ(found.results[i].accuracy.top1, expected.results[i].accuracy.top1);
  }
  const auto predicted = inference::predict_inputs(
      {.run = dir_ / "run", .inputs = {photos_ / "dark"}, .device = "guarded"});
  const auto on_cpu = inference::predict_inputs(
      {.run = dir_ / "run", .inputs = {photos_ / "dark"}, .device = "cpu"});
  ASSERT_EQ(predicted.rows.size(), on_cpu.rows.size());
  for (size_t i = 0; i < predicted.rows.size(); ++i) {
    EXPECT_EQ(predicted.rows[i].classes.at(0).name, on_cpu.rows[i].classes.at(0).name);
  }
  const auto embedded = inference::embed_inputs({.run = dir_ / "run",
                                                 .inputs = {},
                                                 .output = dir_ / "e.npy",
                                                 .context = {},
                                                 .device = "guarded"},
                                                silent_logger());
  EXPECT_EQ(embedded.rows, 2 * kPerClass);
  const auto audit = inference::audit_run({.run = dir_ / "run",
                                           .output = dir_ / "issues.csv",
                                           .options = {},
                                           .context = {},
                                           .device = "guarded"},
                                          silent_logger());
  EXPECT_TRUE(fs::exists(dir_ / "issues.csv"));
}

TEST_F(DeviceRun, MissingDevicesAreReportedBeforeTheDataIsRead) {
  const auto error = [&](const std::string& device, const std::vector<std::string>& settings = {}) {
    auto broken = request("none", device, settings);
    broken.run.data = photos_;
    fs::remove_all(photos_ / "dark");  // would be another error
    return error_message_of([&] { train_for(broken, kUnlimited); });
  };
  EXPECT_THAT(error("guarded:7"), AllOf(HasSubstr("train.device = 'guarded:7'"), HasSubstr("cpu, "),
                                        HasSubstr("guarded:0")));
  EXPECT_THAT(error("cpu", {"train.precision=fp16"}), HasSubstr("precision = 'fp16'"));
}

TEST_F(DeviceRun, AFullDeviceNamesTheBatchAndKeepsTheCheckpoint) {
  const auto full = request("full", "guarded");
  std::unique_ptr<testing::FullDevice> device;
  int steps = 0;
  const auto fill = [&] {
    if (++steps == 3) device = std::make_unique<testing::FullDevice>();
    return false;
  };
  EXPECT_THAT(error_message_of([&] {
                train(full, {.logger = silent_logger(), .stop_requested = fill, .data = {}});
              }),
              AllOf(HasSubstr("out of memory"), HasSubstr("batch_size = 8"),
                    HasSubstr("micro_batch"), HasSubstr("last good checkpoint")));
  device.reset();
  EXPECT_TRUE(train_for(resumed("full"), kUnlimited).finished);
  EXPECT_TRUE(train_for(request("whole", "guarded"), kUnlimited).finished);
  EXPECT_EQ(contents(io::RunPaths{dir_ / "full"}.embeddings()),
            contents(io::RunPaths{dir_ / "whole"}.embeddings()));
}

}  // namespace
}  // namespace projnce::run
