#include "projnce/onnx/onnx_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

#include "projnce/core/version.h"
#include "tests/support/error_message.h"
#include "tests/support/onnx_runner.h"
#include "tests/support/scratch_dir.h"

namespace projnce::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::read_onnx;

TEST(OnnxGraph, WritesNodesConstantsPortsAndMetadata) {
  const testing::ScratchDir dir;
  OnnxGraph graph;
  graph.add_input({"image", OnnxType::kFloat, {3, 8, 300}});
  graph.add_floats("weights", {2, 1}, {1.5F, -2});
  graph.add_ints("place", {}, {-7});
  graph.add_doubles("exact", {1}, {1e-300});
  EXPECT_EQ(
      graph.add_node(
          {"Gemm",
           {"image", "weights"},
           "y",
           {{"transB", int64_t{1}}, {"epsilon", 0.25F}, {"axes", std::vector<int64_t>{-1, 200}}}}),
      "y");
  graph.add_output({"class", OnnxType::kInt64, {}});
  graph.set_metadata({{"class_names", R"(["ä","b"])"}});
  graph.write(dir / "a.onnx");

  const auto file = read_onnx(dir / "a.onnx");
  EXPECT_THAT(file.inputs, ElementsAre(Pair("image", "float [batch, 3, 8, 300]")));
  EXPECT_THAT(file.outputs, ElementsAre(Pair("class", "int64 [batch]")));
  EXPECT_THAT(file.metadata, ElementsAre(Pair("class_names", R"(["ä","b"])")));
  EXPECT_TRUE(torch::equal(file.constants.at("weights"), torch::tensor({{1.5F}, {-2.F}})));
  EXPECT_EQ(file.constants.at("place").dim(), 0);
  EXPECT_EQ(file.constants.at("place").item<int64_t>(), -7);
  EXPECT_EQ(file.constants.at("exact").item<double>(), 1e-300);
  ASSERT_EQ(file.nodes.size(), 1U);
  const auto& node = file.nodes.front();
  EXPECT_EQ(node.type, "Gemm");
  EXPECT_THAT(node.inputs, ElementsAre("image", "weights"));
  EXPECT_THAT(node.real, ElementsAre(Pair("epsilon", 0.25F)));
  EXPECT_THAT(node.whole,
              ElementsAre(Pair("axes", ElementsAre(-1, 200)), Pair("transB", ElementsAre(1))));
}

TEST(OnnxGraph, WritesTheLowestSufficientVersion) {
  const testing::ScratchDir dir;
  OnnxGraph graph;
  graph.write(dir / "plain.onnx");
  EXPECT_EQ(read_onnx(dir / "plain.onnx").opset, 13);
  EXPECT_EQ(read_onnx(dir / "plain.onnx").ir_version, 7);
  graph.require_opset(17);
  graph.require_opset(14);
  graph.write(dir / "later.onnx");
  EXPECT_EQ(read_onnx(dir / "later.onnx").opset, 17);
  EXPECT_EQ(read_onnx(dir / "later.onnx").ir_version, 8);
}

TEST(OnnxGraph, RejectsFilesOver2GiB) {
  const testing::ScratchDir dir;
  const auto bytes = std::make_shared<const std::vector<std::byte>>(size_t{1} << 26);
  OnnxGraph graph;
  for (int i = 0; i < 32; ++i) {  // 2 GiB, all the same bytes
    graph.add_constant({std::to_string(i), OnnxType::kFloat, {1 << 24}, std::span(*bytes), bytes});
  }
  EXPECT_THAT(testing::error_message_of([&] { graph.write(dir / "large.onnx"); }),
              AllOf(HasSubstr("large.onnx"), HasSubstr("2147483647")));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace projnce::onnx
