#include "projnce/checkpoint/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::contents;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::raw_file;
using testing::ScratchDir;

TEST(TensorFile, RoundTripsEveryTypeAndShapeBitForBit) {
  const ScratchDir dir;
  TensorFile file;
  file.metadata = {{"step", "3"}, {"note", "grün"}};
  for (const auto type :
       {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16, torch::kInt64,
        torch::kInt32, torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    const auto values = torch::tensor({-1.5, 0.0, 1.0, 100.0, 0.1, 7.0}, torch::kFloat64).to(type);
    const std::string name = toString(type);
    file.tensors.emplace_back(name + ".matrix", values.reshape({2, 3}));
    file.tensors.emplace_back(name + ".transposed", values.reshape({2, 3}).t());
    file.tensors.emplace_back(name + ".scalar", values[2]);
    file.tensors.emplace_back(name + ".empty", torch::empty({4, 0, 2}, type));
  }
  save_tensors(dir / "a", file);
  const auto back = load_tensors(dir / "a");
  EXPECT_EQ(back.metadata, file.metadata);
  EXPECT_EQ(back.origin, (dir / "a").string());
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    EXPECT_EQ(back.tensors[i].first, file.tensors[i].first);
    EXPECT_EQ(back.tensors[i].second.scalar_type(), file.tensors[i].second.scalar_type());
    EXPECT_TRUE(torch::equal(back.tensors[i].second, file.tensors[i].second)) << back.tensors[i];
  }
}

TEST(TensorFile, PreservesNanPayloadsAndSignedZero) {
  const ScratchDir dir;
  const std::vector<int32_t> patterns = {0x7fc00001, -0x7fffffff - 1, 0x7f800000, 1};
  const auto values = torch::tensor(patterns, torch::kInt32);
  save_tensors(dir / "a", {{{"w", values.view(torch::kFloat32)}}, {}});
  const auto back = load_tensors(dir / "a").tensors.at(0).second;
  EXPECT_TRUE(torch::equal(back.view(torch::kInt32), values));
}

TEST(TensorFile, StoresChannelsLastAndGradientTensorsInCOrder) {
  torch::manual_seed(1);
  const ScratchDir dir;
  const auto image = torch::randn({2, 3, 4, 5});
  const auto last = image.contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_();
  save_tensors(dir / "a", {{{"w", last}}, {}});
  const auto back = load_tensors(dir / "a").tensors.at(0).second;
  EXPECT_TRUE(back.is_contiguous());
  EXPECT_FALSE(back.requires_grad());
  EXPECT_TRUE(torch::equal(back, image));
}

TEST(TensorFile, DetectsAFlippedBitInTheData) {
  const ScratchDir dir;
  save_tensors(dir / "a", {{{"w", torch::zeros({1000})}}, {}});
  auto bytes = contents(dir / "a");
  bytes[bytes.size() - 2000] = 1;
  io::write_file_atomically(dir / "a", bytes);
  EXPECT_THAT(error_message_of([&] { load_tensors(dir / "a"); }),
              AllOf(HasSubstr((dir / "a").string()), HasSubstr("is corrupt")));
}

TEST(TensorFile, ReadsFilesWithoutChecksumOnlyIfAllowed) {
  const ScratchDir dir;
  // Other programs may write tensors at odd offsets, as the second one here.
  io::write_file_atomically(dir / "a",
                            raw_file(R"({"flag":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},)"
                                     R"("w":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})",
                                     9));
  EXPECT_THAT(error_message_of([&] { load_tensors(dir / "a"); }), HasSubstr("no checksum"));
  const auto file = load_tensors(dir / "a", io::Integrity::kOptional);
  EXPECT_TRUE(torch::equal(file.tensors.at(1).second, torch::zeros({2})));
}

TEST(TensorFile, RejectsAnotherFormatVersion) {
  const ScratchDir dir;
  io::write_safetensors(dir / "a", {}, {{"projnce_format", "2"}});
  EXPECT_THAT(error_message_of([&] { load_tensors(dir / "a"); }),
              HasSubstr("has format '2', expected '1'"));
}

TEST(TensorFile, RejectsUnsupportedTensors) {
  const ScratchDir dir;
  for (const auto& tensor :
       {torch::Tensor(), torch::zeros({2}, torch::kComplexFloat), torch::eye(3).to_sparse()}) {
    EXPECT_THROW(save_tensors(dir / "a", {{{"w", tensor}}, {}}), c10::Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace projnce::checkpoint
