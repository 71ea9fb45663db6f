#include "projnce/projection/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "projnce/core/table_reader.h"
#include "projnce/projection/centroid.h"
#include "projnce/projection/fixed.h"
#include "projnce/projection/median.h"
#include "projnce/projection/mlp.h"
#include "projnce/projection/perp.h"
#include "projnce/projection/registry.h"
#include "projnce/projection/sample.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {
namespace {

using namespace projection;

using ::testing::AllOf;
using ::testing::HasSubstr;

CandidateRows candidates(const torch::Tensor& rows, const torch::Tensor& labels) {
  return {.rows = rows,
          .groups = group_by_class(labels),
          .anchor_offset = 0,
          .num_anchors = rows.size(0)};
}

void expect_equal(const torch::Tensor& actual, const torch::Tensor& expected, double slack) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_LE((actual - expected).abs().max().item<double>(), slack) << actual << expected;
}

class Projections : public ::testing::Test {
 protected:
  torch::Tensor x_ = random_unit_rows(7, 3, 1);
  torch::Tensor y_ = torch::tensor({5, -2, 5, 5, -2, 8, 5});  // classes -2, 5, 8 with 2, 4, 1 rows
};

TEST_F(Projections, GroupsNumberTheClassesThatArePresent) {
  const auto groups = group_by_class(y_);
  EXPECT_TRUE(torch::equal(groups.labels, torch::tensor({-2, 5, 8})));
  EXPECT_TRUE(torch::equal(groups.counts, torch::tensor({2, 4, 1})));
  EXPECT_TRUE(torch::equal(groups.ids, torch::tensor({1, 0, 1, 1, 0, 2, 1})));
}

TEST_F(Projections, GroupsAreTheSameHoweverFarApartLabelsLie) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const auto& far :
       {std::vector<int64_t>{7, -3, 7, 0, -3},
        std::vector<int64_t>{kMost, kLeast, kMost, 0, kLeast},
        std::vector<int64_t>{kLeast + 9, kLeast, kLeast + 9, kLeast + 1, kLeast}}) {
    const auto labels = torch::tensor(far, torch::kInt64);
    const auto groups = group_by_class(labels);
    EXPECT_TRUE(torch::equal(groups.ids, torch::tensor({2, 0, 2, 1, 0}, torch::kInt64)));
    EXPECT_TRUE(torch::equal(groups.counts, torch::tensor({2, 1, 2}, torch::kInt64)));
    EXPECT_TRUE(torch::equal(groups.labels.index_select(0, groups.ids), labels));
  }
}

TEST_F(Projections, CentroidsAreMeansOfTheirRows) {
  const auto all = candidates(x_, y_);
  const auto full = project_centroids(all, {.rows = CentroidRows::kAll});
  expect_equal(full.vectors[0], (x_[1] + x_[4]) / 2, 1e-15);
  expect_equal(full.vectors[2], x_[5], 1e-15);
  EXPECT_FALSE(full.positive.defined());

  const auto without_anchor = project_centroids(all, {});
  expect_equal(without_anchor.vectors, full.vectors, 0);
  expect_equal(without_anchor.positive[0], (x_[2] + x_[3] + x_[6]) / 3, 1e-15);
  expect_equal(without_anchor.positive[5], x_[5], 1e-15);
  EXPECT_TRUE(torch::equal(without_anchor.has_positive, torch::tensor({true, true, false})));

  const auto without_row = project_centroids(all, {.rows = CentroidRows::kNotRow});
  EXPECT_TRUE(without_row.per_row);
  expect_equal(without_row.vectors, without_anchor.positive, 0);
}

TEST_F(Projections, SamplesAreTheRows) {
  const auto projected = SampleProjection().project(candidates(x_, y_));
  EXPECT_TRUE(projected.per_row);
  expect_equal(projected.vectors, x_, 0);
}

TEST_F(Projections, PerpWeighsRowsBySoftLabels) {
  auto all = candidates(x_, torch::tensor({0, 1, 0, 0, 1, 2, 0}));
  all.soft_labels = random_uniform(7, 3, 9);
  all.soft_labels.select(1, 1).zero_();  // no mass: the plain centroid
  const auto g = project_perp(all, {.soft_source = SoftSource::kGiven}).vectors;
  const auto q = all.soft_labels.select(1, 0).unsqueeze(1);
  expect_equal(g[0], (q * x_).sum(0) / q.sum(), 1e-14);
  expect_equal(g[1], (x_[1] + x_[4]) / 2, 1e-14);
}

TEST_F(Projections, NadarayaWatsonAveragesLabelsOfNeighbors) {
  // On a line at 0, 1, 3: with h = 2 and the triangular kernel the first two see each other.
  const auto x = torch::tensor({{0.0}, {1.0}, {3.0}}, torch::kFloat64);
  const auto groups = group_by_class(torch::tensor({0, 1, 1}));
  const NadarayaWatsonOptions options{.kernel = kernel::SmoothingKernel::kTriangular,
                                      .metric = kernel::Metric::kL1,
                                      .bandwidth = 2};
  const auto q = nadaraya_watson(x, groups, options);
  const auto third = 1.0 / 3;
  expect_equal(q,
               torch::tensor({{2 * third, third}, {third, 2 * third}, {0.0, 1.0}}, torch::kFloat64),
               1e-15);
}

TEST_F(Projections, ARowWithoutNeighborsKeepsItsHardLabel) {
  const auto x = torch::tensor({{0.0}, {1.0}, {3.0}}, torch::kFloat64);
  const auto groups = group_by_class(torch::tensor({0, 1, 1}));
  const auto q = nadaraya_watson(
      x, groups, {.metric = kernel::Metric::kL2, .bandwidth = 1.5, .exclude_self = true});
  expect_equal(q, torch::tensor({{0.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}}, torch::kFloat64), 1e-15);
}

TEST_F(Projections, EveryKernelIsOneAtZeroAndZeroAtTheEdge) {
  const auto x = torch::tensor({{0.0}, {0.5}, {1.0}, {7.0}}, torch::kFloat64);
  const auto groups = group_by_class(torch::tensor({0, 1, 2, 3}));
  const std::pair<kernel::SmoothingKernel, double> kernels[] = {
      {kernel::SmoothingKernel::kEpanechnikov, 0.75},
      {kernel::SmoothingKernel::kTriangular, 0.5},
      {kernel::SmoothingKernel::kMixed, 0.625},
      {kernel::SmoothingKernel::kExponential, (std::exp(0.5) - 1) / (std::exp(1.0) - 1)}};
  for (const auto& [kernel, half] : kernels) {
    const auto q = nadaraya_watson(
        x, groups, {.kernel = kernel, .metric = kernel::Metric::kL1, .bandwidth = 1});
    expect_equal(
        q[0], torch::tensor({1 / (1 + half), half / (1 + half), 0.0, 0.0}, torch::kFloat64), 1e-14);
  }
}

TEST_F(Projections, MediansAreTakenCoordinateByCoordinate) {
  const auto x =
      torch::tensor({{1.0, 8.0}, {2.0, 6.0}, {3.0, 7.0}, {9.0, 5.0}, {4.0, 4.0}}, torch::kFloat64);
  const auto all = candidates(x, torch::tensor({0, 0, 0, 0, 1}));
  expect_equal(project_medians(all, {}).vectors,
               torch::tensor({{2.0, 6.0}, {4.0, 4.0}}, torch::kFloat64), 0);
  expect_equal(project_medians(all, {.median = MedianKind::kMean}).vectors,
               torch::tensor({{2.5, 6.5}, {4.0, 4.0}}, torch::kFloat64), 0);
}

TEST_F(Projections, MediansEqualThoseBySorting) {
  const auto labels = random_labels(203, 5, 4);
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    for (const auto& x : {random_normal(203, 19, 5).to(torch::kFloat32),
                          random_normal(203, 19, 6).to(torch::kFloat32).round()}) {
      for (const auto kind : {MedianKind::kLower, MedianKind::kMean}) {
        const auto rows = x.to(type).requires_grad_();
        const auto all = candidates(rows, labels);
        const auto selected = project_medians(all, {.median = kind}).vectors;
        const auto sorted = sorted_medians(rows, all.groups, kind);
        EXPECT_TRUE(torch::equal(selected, sorted));
        // A square, so that the gradient has a gradient.
        const auto gradients = [&](const torch::Tensor& medians) {
          const auto first = torch::autograd::grad({medians.square().sum()}, {rows}, {},
                                                   /*retain_graph=*/true, /*create_graph=*/true)[0];
          return std::pair{first, torch::autograd::grad({(first * x).sum()}, {rows})[0]};
        };
        const auto [first, second] = gradients(selected);
        const auto [sorted_first, sorted_second] = gradients(sorted);
        EXPECT_TRUE(torch::equal(first, sorted_first));
        EXPECT_TRUE(torch::equal(second, sorted_second));
      }
    }
  }
}

TEST_F(Projections, MediansOfRowsThatAreNotNumbersAreNotNumbers) {
  const auto x = torch::full({4, 3}, std::nan(""), torch::kFloat64);
  const auto all = candidates(x, torch::tensor({0, 0, 1, 0}));
  EXPECT_TRUE(project_medians(all, {}).vectors.isnan().all().item<bool>());
}

/// Sum of distances to the rows.
double cost(const torch::Tensor& x, const torch::Tensor& g) {
  return (x - g).norm(2, 1).sum().item<double>();
}

torch::Tensor geometric(const torch::Tensor& x) {
  const auto labels = torch::zeros({x.size(0)}, torch::kInt64);
  return project_medians(candidates(x, labels), {.median = MedianKind::kGeometric}).vectors[0];
}

TEST_F(Projections, TheGeometricMedianHasTheSmallestSumOfDistances) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = random_unit_rows(3 + static_cast<int64_t>(seed % 5), 3, seed);
    const auto g = geometric(x);
    for (uint64_t direction = 0; direction < 6; ++direction) {
      const auto step = random_unit_rows(1, 3, 100 + direction)[0];
      EXPECT_LE(cost(x, g), cost(x, g + 1e-4 * step) + 1e-13) << seed;
    }
  }
}

TEST_F(Projections, TheGeometricMedianMayBeARow) {
  // The center of a triangle is a row; so is the majority of equal rows; so is the middle of a
  // line.
  const auto triangle =
      torch::tensor({{0.0, 0.0}, {1.0, 0.0}, {-0.5, 0.9}, {-0.5, -0.9}}, torch::kFloat64);
  expect_equal(geometric(triangle), triangle[0], 0);
  const auto majority =
      torch::tensor({{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}, {5.0, 5.0}, {0.0, 9.0}}, torch::kFloat64);
  expect_equal(geometric(majority), majority[0], 0);
  const auto line =
      torch::tensor({{0.0, 0.0}, {1.0, 1.0}, {2.0, 2.0}, {9.0, 9.0}}, torch::kFloat64);
  EXPECT_NEAR(cost(line, geometric(line)), cost(line, line[1]), 1e-12);
  expect_equal(geometric(line.narrow(0, 0, 2)), torch::tensor({0.5, 0.5}, torch::kFloat64), 0);
}

TEST_F(Projections, TheGeometricMedianFindsAnOptimalRowAmongMany) {
  // Pairs of opposite rows pull equally hard at the one between them, wherever it stands.
  const auto ring = random_unit_rows(300, 5, 6) * random_uniform(300, 1, 7);
  for (const int64_t place : {0, 250, 600}) {
    const auto x = torch::cat({ring, -ring}) + 1;
    const auto center = torch::ones({1, 5}, torch::kFloat64);
    const auto rows = torch::cat({x.slice(0, 0, place), center, x.slice(0, place)});
    expect_equal(geometric(rows), center[0], 0);
  }
  const auto line = torch::arange(301, torch::kFloat64).square().unsqueeze(1);
  expect_equal(geometric(line), line[150], 0);
}

TEST_F(Projections, GradientsOfMediansAreThoseOfTheValues) {
  const auto weights = random_unit_rows(3, 3, 9);
  for (const auto kind : {MedianKind::kLower, MedianKind::kMean, MedianKind::kGeometric}) {
    const auto f = [&](const torch::Tensor& x) {
      return (project_medians(candidates(x, y_), {.median = kind}).vectors * weights).sum();
    };
    EXPECT_LT(max_grad_error(f, x_), 1e-7);
  }
}

TEST_F(Projections, TheGeometricMedianRejectsASecondDerivative) {
  const auto x = x_.clone().requires_grad_();
  const auto g = project_medians(candidates(x, y_), {.median = MedianKind::kGeometric}).vectors;
  EXPECT_THAT(error_message_of([&] {
                torch::autograd::grad({g.sum()}, {x}, {}, /*retain_graph=*/true,
                                      /*create_graph=*/true);
              }),
              HasSubstr("no second derivative"));
}

TEST_F(Projections, FixedVectorsAreRowsOfTheMatrix) {
  FixedProjection fixed({.vectors = x_});
  expect_equal(fixed.project(candidates(x_, torch::tensor({6, 0, 0, 0, 0, 0, 0}))).vectors,
               torch::stack({x_[0], x_[6]}), 0);
  EXPECT_TRUE(fixed.parameters().empty());
  EXPECT_THAT(error_message_of([&] { fixed.project(candidates(x_, y_)); }),
              HasSubstr("outside 0..6"));
  EXPECT_THAT(error_message_of([] { FixedProjection({.vectors = torch::zeros({3})}); }),
              HasSubstr("matrix"));
}

TEST_F(Projections, TheRegistryMakesEveryProjection) {
  torch::manual_seed(1);
  const ProjectionContext context{
      .num_classes = 9, .embedding_dim = 3, .load_matrix = [](const std::string& path) {
        EXPECT_EQ(path, "vectors.npy");
        return random_unit_rows(9, 3, 4);
      }};
  for (const auto& name : projection_names()) {
    auto options = projection_options(name);
    if (name == "fixed") options.own = FixedFileOptions{"vectors.npy"};
    const auto projection = make_projection(options, context);
    const auto projected = projection->project(candidates(x_, y_.abs()));
    EXPECT_EQ(projected.vectors.size(0), projected.per_row ? 7 : 3) << name;
  }
}

TEST_F(Projections, TheRegistryRejectsUnknownNamesAndKeys) {
  torch::manual_seed(1);
  const auto read = [](const std::string& name, const Table& table) {
    return read_options(table, "loss.pos", projection_options(name));
  };
  EXPECT_THAT(error_message_of([&] { projection_options("meduan"); }),
              AllOf(HasSubstr("meduan"), HasSubstr("median")));
  Table table;
  table.values["metrik"] = {std::string("l1"), {}};
  EXPECT_THAT(error_message_of([&] { read("perp", table); }),
              AllOf(HasSubstr("[loss.pos]"), HasSubstr("metric")));
  EXPECT_THAT(error_message_of([&] { read("fixed", {}); }), HasSubstr("file is missing"));
  Table fixed;
  fixed.values["file"] = {std::string("a.npy"), {}};
  EXPECT_THAT(error_message_of([&] { make_projection(read("fixed", fixed), {}); }),
              HasSubstr("no matrix loader"));
  EXPECT_THAT(error_message_of([&] { make_projection(projection_options("mlp"), {}); }),
              HasSubstr("num_classes = 0"));
}

}  // namespace
}  // namespace projnce::testing
