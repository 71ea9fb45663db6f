#include "projnce/eval/pca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Reference: singular value decomposition with arbitrary signs.
torch::Tensor components_by_svd(const torch::Tensor& rows, int64_t components) {
  const auto centered = rows - rows.mean(0, /*keepdim=*/true);
  const auto [u, s, v] = torch::linalg_svd(centered, /*full_matrices=*/false);
  return (u * s).narrow(1, 0, components);
}

TEST(Pca, MatchesASingularValueDecomposition) {
  torch::manual_seed(1);
  for (const auto& [count, dim] : {std::pair{50, 7}, {7, 50}, {20, 20}}) {
    const auto rows = torch::randn({count, dim}, torch::kFloat64) * torch::rand({dim}) + 3;
    const auto got = pca(rows, 4);
    const auto wanted = components_by_svd(rows, 4);
    EXPECT_TRUE(torch::allclose(got.abs(), wanted.abs(), 1e-8, 1e-9)) << count << " x " << dim;
    for (int64_t c = 0; c < 4; ++c) {  // the largest loading, found by regression, is positive
      const auto loading = (rows - rows.mean(0)).t().mv(got.select(1, c));
      EXPECT_GT(loading[loading.abs().argmax()].item<double>(), 0);
    }
  }
}

TEST(Pca, KeepsSinglePrecision) {
  torch::manual_seed(3);
  EXPECT_EQ(pca(torch::randn({9, 3}), 2).scalar_type(), torch::kFloat32);
}

TEST(Pca, ComponentsWithoutVarianceAreZero) {
  EXPECT_EQ(pca(torch::full({6, 3}, 2.5), 2).abs().max().item<double>(), 0);
  const auto line = torch::arange(5, torch::kFloat64).unsqueeze(1) * torch::ones({1, 8});
  const auto scores = pca(line, 2);  // [5, 2]
  EXPECT_NEAR(scores[4][0].item<double>(), 2 * std::sqrt(8.0), 1e-9);
  EXPECT_EQ(scores.select(1, 1).abs().max().item<double>(), 0);
}

TEST(Pca, IsBitIdenticalForAnyNumberOfThreads) {
  const int before = torch::get_num_threads();
  torch::manual_seed(2);
  const auto rows = torch::randn({3000, 64});
  torch::set_num_threads(1);
  const auto wanted = pca(rows, 2);
  for (const int threads : {2, 3}) {
    torch::set_num_threads(threads);
    EXPECT_TRUE(torch::equal(pca(rows, 2), wanted));
    EXPECT_EQ(torch::get_num_threads(), threads);
  }
  torch::set_num_threads(before);
}

TEST(Pca, RejectsInvalidArguments) {
  EXPECT_THAT(testing::error_message_of([] {
                pca(torch::zeros({5, 1}), 2);
              }),
              AllOf(HasSubstr("2 components"), HasSubstr("[5, 1]"), HasSubstr("expected 1 to 1")));
  EXPECT_THAT(testing::error_message_of([] {
                pca(torch::full({5, 3}, NAN), 2);
              }),
              HasSubstr("not finite"));
}

}  // namespace
}  // namespace projnce::eval
