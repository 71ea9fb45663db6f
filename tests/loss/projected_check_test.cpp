#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/projection/mlp.h"
#include "projnce/projection/sample.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A user's projection: returns what it was made with.
class GivenProjection : public projection::Projection {
 public:
  explicit GivenProjection(projection::Projected projected) : projected_(std::move(projected)) {}
  projection::Projected project(const projection::CandidateRows& /*candidates*/) override {
    return projected_;
  }

 private:
  projection::Projected projected_;
};

class ProjectedCheck : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 12;
  static constexpr int64_t kDim = 5;
  static constexpr int64_t kClasses = 4;

  torch::Tensor rows_ = random_unit_rows(kRows, kDim, 1);
  torch::Tensor labels_ = torch::arange(kRows) % kClasses;
  torch::Tensor vectors_ = random_unit_rows(kClasses, kDim, 2);

  torch::Tensor loss(const projection::Projected& projected, const torch::Tensor& rows) const {
    GeneralizedInfoNCELoss loss(std::make_shared<GivenProjection>(projected),
                                std::make_shared<projection::SampleProjection>());
    return loss.forward(make_batch(rows, labels_));
  }
  torch::Tensor loss(const projection::Projected& projected) const {
    return loss(projected, rows_);
  }

  std::string error_of(const projection::Projected& projected) const {
    return error_message_of([&] { loss(projected); });
  }
};

TEST_F(ProjectedCheck, AcceptsVectorsForClassesAndForRows) {
  EXPECT_TRUE(loss({.vectors = vectors_}).isfinite().item<bool>());
  const auto per_row = loss({.vectors = vectors_.index_select(0, labels_), .per_row = true});
  EXPECT_NEAR(per_row.item<double>(), loss({.vectors = vectors_}).item<double>(), 1e-12);
}

TEST_F(ProjectedCheck, RejectsVectorsOfAnotherShape) {
  const std::vector<std::vector<int64_t>> shapes = {
      {kClasses, kDim - 2}, {kClasses, kDim + 7}, {kClasses - 2, kDim}, {0, kDim}, {kClasses, 0},
      {kClasses},           {kClasses, kDim, 1},  {kDim, kClasses},     {}};
  for (const auto& shape : shapes) {
    const auto vectors = torch::full(shape, 0.1, torch::kFloat64);
    EXPECT_THAT(
        error_of({.vectors = vectors}),
        AllOf(HasSubstr("generalized-infonce: the positive projection returned vectors of shape"),
              HasSubstr(concat(vectors.sizes())), HasSubstr("expected [4, 5]")));
  }
  EXPECT_THAT(error_of({}), HasSubstr("returned no vectors"));
}

TEST_F(ProjectedCheck, HintsExplainAnUnexpectedNumberOfVectors) {
  const auto full = [](int64_t count) { return torch::full({count, kDim}, 0.1, torch::kFloat64); };
  EXPECT_THAT(error_of({.vectors = full(kRows)}), HasSubstr("set per_row to true"));
  EXPECT_THAT(error_of({.vectors = full(10)}),
              HasSubstr("index_select(0, candidates.groups.labels)"));
  EXPECT_THAT(error_of({.vectors = full(kClasses), .per_row = true}),
              AllOf(HasSubstr("expected [12, 5]"), HasSubstr("set per_row to false")));
}

TEST_F(ProjectedCheck, ErrorsNameTheProjection) {
  const auto wrong = std::make_shared<GivenProjection>(
      projection::Projected{.vectors = torch::zeros({1, kDim}, torch::kFloat64)});
  GeneralizedInfoNCELoss loss(std::make_shared<projection::SampleProjection>(), wrong);
  EXPECT_THAT(
      error_message_of([&] { loss.evaluate(make_batch(rows_, labels_)); }),
      HasSubstr("generalized-infonce: the negative projection returned vectors of shape [1, 5]"));
}

TEST_F(ProjectedCheck, RejectsOtherTypesDevicesAndLayouts) {
  EXPECT_THAT(error_of({.vectors = vectors_.to(torch::kFloat32)}),
              AllOf(HasSubstr("vectors of type Float, expected Double"),
                    HasSubstr(".to(candidates.rows.scalar_type())")));
  EXPECT_THAT(error_of({.vectors = vectors_.to(torch::kInt64)}), HasSubstr("of type Long"));
  EXPECT_THAT(error_of({.vectors = vectors_.to(torch::kHalf)}), HasSubstr("of type Half"));
  EXPECT_THAT(error_of({.vectors = vectors_.to(torch::kMeta)}),
              HasSubstr("vectors on meta, expected cpu"));
  EXPECT_THAT(error_of({.vectors = vectors_.to_sparse()}), HasSubstr("expected a dense tensor"));
}

TEST_F(ProjectedCheck, RejectsPositiveVectorsThatDoNotMatch) {
  const auto with_positive = [&](const torch::Tensor& own) {
    return error_of({.vectors = vectors_, .positive = own});
  };
  EXPECT_THAT(with_positive(vectors_), HasSubstr("positive of shape [4, 5], expected [12, 5]"));
  EXPECT_THAT(with_positive(rows_.narrow(1, 0, 1)), HasSubstr("positive of shape [12, 1]"));
  EXPECT_THAT(with_positive(rows_.to(torch::kFloat32)), HasSubstr("positive of type Float"));
  EXPECT_THAT(with_positive(rows_.to(torch::kMeta)), HasSubstr("positive on meta"));
  EXPECT_EQ(with_positive(rows_), "nothing was wrong");
}

TEST_F(ProjectedCheck, RejectsInconsistentFlags) {
  const auto with_flags = [&](const torch::Tensor& flags) {
    return error_of({.vectors = vectors_, .has_positive = flags});
  };
  EXPECT_THAT(with_flags(torch::ones({kRows}, torch::kBool)),
              HasSubstr("has_positive of shape [12], expected [4]"));
  EXPECT_THAT(with_flags(torch::ones({kClasses}, torch::kInt64)),
              HasSubstr("has_positive of type Long, expected Bool"));
  EXPECT_THAT(with_flags(torch::ones({kClasses}, torch::kBool).to(torch::kMeta)),
              HasSubstr("has_positive on meta"));
  EXPECT_EQ(with_flags(torch::ones({kClasses}, torch::kBool)), "nothing was wrong");
}

TEST_F(ProjectedCheck, ExpectsTheCandidatesOfAllProcesses) {
  const auto batches = gathered(make_batch(rows_, labels_), {5, 7});
  const auto own = random_unit_rows(7, kDim, 3);
  GeneralizedInfoNCELoss loss(std::make_shared<GivenProjection>(
                                  projection::Projected{.vectors = vectors_, .positive = own}),
                              std::make_shared<projection::SampleProjection>());
  EXPECT_TRUE(loss.forward(batches[1]).isfinite().item<bool>());
  EXPECT_THAT(error_message_of([&] { loss.forward(batches[0]); }),
              HasSubstr("positive of shape [7, 5], expected [5, 5]"));
}

TEST_F(ProjectedCheck, AnyStridesGiveTheSameValueAndGradient) {
  const auto run = [&](const torch::Tensor& vectors, const torch::Tensor& own) {
    const auto rows = rows_.clone().requires_grad_();
    const auto value = loss({.vectors = vectors, .positive = own}, rows);
    value.backward();
    return std::make_pair(value.item<double>(), rows.grad());
  };
  const auto own = random_unit_rows(kRows, kDim, 3);
  const auto dense = run(vectors_, own);
  const auto transposed = run(vectors_.t().contiguous().t(), own.t().contiguous().t());
  const auto every_second = run(torch::stack({vectors_, vectors_}, 2).select(2, 1), own);
  for (const auto& [value, gradient] : {transposed, every_second}) {
    EXPECT_DOUBLE_EQ(value, dense.first);
    EXPECT_TRUE(gradient.allclose(dense.second, 1e-12, 1e-14));
  }
  const auto one = vectors_.narrow(0, 0, 1);  // one row that stands for all of them, stride 0
  EXPECT_DOUBLE_EQ(loss({.vectors = one.expand({kClasses, kDim})}).item<double>(),
                   loss({.vectors = one.repeat({kClasses, 1})}).item<double>());
}

TEST_F(ProjectedCheck, VectorsThatAreNotFiniteGiveALossThatIsNotANumber) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto corrupted = vectors_.clone();
    corrupted[2][1] = value;
    EXPECT_TRUE(loss({.vectors = corrupted}).isnan().item<bool>()) << value;
    const auto own = rows_.clone();
    own[3][0] = value;
    EXPECT_TRUE(loss({.vectors = vectors_, .positive = own}).isnan().item<bool>()) << value;
  }
}

TEST_F(ProjectedCheck, LossesWithClassVectorsCheckThemToo) {
  const auto rows = validate_batch(make_batch(rows_, labels_), GroupBy::kClass, "test");
  for (const bool normalize : {false, true}) {
    const ClassVectorOptions options{.normalize = normalize};
    EXPECT_THAT(error_message_of(
                    [&] { use_class_vectors(rows, {.vectors = vectors_[0]}, options, "test"); }),
                HasSubstr("test: the projection returned vectors of shape [5]"));
    const auto corrupted = vectors_ * std::numeric_limits<double>::quiet_NaN();
    const auto [batch, g] = use_class_vectors(rows, {.vectors = corrupted}, options, "test");
    EXPECT_TRUE(batch.nan_guard.isnan().item<bool>());
    const ProjectedScores scores(batch, g, 0.1);
    const auto value =
        class_infonce(batch, scores.positive(), scores.logsumexp(Exclude::kNone), Exclude::kNone);
    EXPECT_TRUE(value.loss.isnan().item<bool>());
  }
}

TEST_F(ProjectedCheck, LearnedVectorsMustFitTheEmbeddings) {
  torch::manual_seed(1);
  const auto batch = make_batch(rows_, labels_);
  const auto rejected = [&](const torch::Tensor& matrix) {
    return error_message_of([&] { projnce_mlp(batch, matrix); });
  };
  EXPECT_THAT(rejected({}), HasSubstr("the class vectors are undefined"));
  EXPECT_THAT(rejected(torch::ones({kClasses, kDim}, torch::kInt64)), HasSubstr("are Long on cpu"));
  EXPECT_THAT(rejected(vectors_.to(torch::kMeta)), HasSubstr("on meta"));
  EXPECT_THAT(rejected(vectors_.narrow(1, 0, 2)), HasSubstr("widths must be equal"));
  GeneralizedInfoNCELoss narrow(
      std::make_shared<projection::MlpProjection>(
          projection::MlpProjectionOptions{.num_classes = 4, .embedding_dim = 3}),
      std::make_shared<projection::SampleProjection>());
  EXPECT_THAT(error_message_of([&] { narrow.forward(batch); }), HasSubstr("of shape [4, 3]"));
}

TEST_F(ProjectedCheck, LearnedVectorsTakeTheTypeOfTheEmbeddings) {
  torch::manual_seed(1);
  GeneralizedInfoNCELoss loss(
      std::make_shared<projection::MlpProjection>(
          projection::MlpProjectionOptions{.num_classes = kClasses, .embedding_dim = kDim}),
      std::make_shared<projection::SampleProjection>());
  EXPECT_EQ(loss.forward(make_batch(rows_, labels_)).scalar_type(), torch::kFloat64);
  EXPECT_EQ(loss.forward(make_batch(rows_.to(torch::kFloat32), labels_)).scalar_type(),
            torch::kFloat32);
}

TEST_F(ProjectedCheck, BatchesOnTwoDevicesAreRejected) {
  auto batch = make_batch(rows_, labels_);
  batch.anchor_labels = labels_.to(torch::kMeta);
  GeneralizedInfoNCELoss loss(std::make_shared<projection::SampleProjection>(),
                              std::make_shared<projection::SampleProjection>());
  EXPECT_THAT(error_message_of([&] { loss.forward(batch); }),
              HasSubstr("anchor_labels are on meta, expected cpu"));
  batch = make_batch(rows_, labels_);
  batch.candidates = rows_.to(torch::kMeta);
  EXPECT_THAT(error_message_of([&] { loss.forward(batch); }),
              HasSubstr("anchors are on cpu, candidates on meta"));
}

}  // namespace
}  // namespace projnce::testing
