#include "tests/device/guarded_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <csignal>

#include "projnce/core/device.h"
#include "projnce/eval/nearest_neighbors.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

torch::Tensor on_device(const std::vector<float>& values) {
  return torch::tensor(values).to(kGuardedDevice);
}

TEST(GuardedDevice, ComputesWhatTheCpuComputes) {
  const auto x = torch::arange(6, torch::kFloat).view({2, 3});
  const auto y = x.to(kGuardedDevice);
  EXPECT_EQ(y.device(), kGuardedDevice);
  EXPECT_TRUE(torch::equal(y.t().mm(y).exp().sum(1).cpu(), x.t().mm(x).exp().sum(1)));
  y.select(0, 1).mul_(2);
  EXPECT_EQ(y.cpu()[1][2].item<float>(), 10) << "views share memory";
}

TEST(GuardedDeviceDeathTest, AHostReadCrashes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto x = on_device({1, 2, 3});
  const auto* memory = static_cast<const volatile float*>(x.const_data_ptr());
  EXPECT_EXIT(static_cast<void>(memory[0]), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(GuardedDeviceDeathTest, AKernelOfTheCpuCrashes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto x = on_device({1, 2, 3}).view({3, 1});
  const auto read = [&] {
    float sum = 0;
    for (int i = 0; i < 3; ++i) sum += x.data_ptr<float>()[i];
    std::exit(sum > 0 ? 0 : 1);
  };
  EXPECT_EXIT(read(), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(GuardedDevice, RefusesTensorsOfTheCpu) {
  const auto x = on_device({1, 2, 3});
  EXPECT_THROW(x + torch::ones({3}), c10::Error);
  EXPECT_EQ((x + torch::tensor(1.0F)).cpu()[2].item<float>(), 4) << "scalars are allowed";
}

TEST(GuardedDevice, CountsSynchronizations) {
  const auto x = on_device({1, 2, 3});
  const auto before = guarded_synchronizations();
  const auto y = torch::where(x.gt(1), x.exp(), x.sum());
  EXPECT_EQ(guarded_synchronizations(), before);
  y.cpu();
  EXPECT_EQ(guarded_synchronizations(), before + 1);
  y[0].item<float>();
  EXPECT_GT(guarded_synchronizations(), before + 1);
}

TEST(GuardedDevice, FindsTheSameNeighborsAsTheCpu) {
  torch::manual_seed(3);
  const auto rows = torch::randn({300, 8});
  const auto labels = torch::arange(300) % 4;
  const auto expected = eval::knn_scores(rows, labels, 4, rows.narrow(0, 0, 50), {.neighbors = 9});
  const auto found = eval::knn_scores(rows.to(kGuardedDevice), labels.to(kGuardedDevice), 4,
                                      rows.narrow(0, 0, 50).to(kGuardedDevice), {.neighbors = 9});
  EXPECT_EQ(found.device(), kGuardedDevice);
  EXPECT_TRUE(torch::allclose(found.cpu(), expected, 1e-5, 1e-6));
}

TEST(Device, ResolvesNames) {
  EXPECT_EQ(resolve_device("cpu", "--device"), torch::Device(torch::kCPU));
  EXPECT_EQ(resolve_device("guarded", "--device"), kGuardedDevice);
  EXPECT_EQ(resolve_device("guarded:0", "--device"), kGuardedDevice);
  EXPECT_THAT(available_devices(), ::testing::Contains(kGuardedDevice));
}

TEST(Device, ErrorsListTheDevices) {
  const auto error = [](const std::string& name, const LocalRank& local = {}) {
    return error_message_of([&] { resolve_device(name, "train.device", local); });
  };
  EXPECT_THAT(error("gpu"),
              AllOf(HasSubstr("train.device = 'gpu'"), HasSubstr("auto"), HasSubstr("cpu, ")));
  EXPECT_THAT(error("guarded:3"),
              AllOf(HasSubstr("'guarded:3' is not available"), HasSubstr("guarded:0")));
  EXPECT_THAT(error("guarded", {.rank = 1, .ranks = 2}),
              AllOf(HasSubstr("2 ranks"), HasSubstr("1 device"), HasSubstr("launch -n auto")));
  EXPECT_THAT(error("guarded:0", {.rank = 0, .ranks = 2}), HasSubstr("2 ranks"));
  EXPECT_EQ(error("cpu", {.rank = 1, .ranks = 2}), "nothing was wrong");
}

}  // namespace
}  // namespace projnce::testing
