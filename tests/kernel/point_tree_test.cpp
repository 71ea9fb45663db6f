#include "projnce/kernel/repulsion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace projnce::testing {
namespace {

using namespace kernel;

std::vector<float> scattered(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> points(static_cast<size_t>(2 * count));
  for (auto& x : points) x = 10 * normal(random);
  return points;
}

/// Point sets of uneven sizes, a line, equal points, and an outlier.
std::vector<std::vector<float>> shapes() {
  std::vector<std::vector<float>> all;
  for (const int64_t count : {1, 2, 8, 9, 64, 65, 1000}) all.push_back(scattered(count, 1));
  auto line = scattered(500, 2);
  for (size_t i = 1; i < line.size(); i += 2) line[i] = 1;
  all.push_back(line);
  all.emplace_back(2 * 700, 5.0F);
  auto outlier = scattered(300, 3);
  outlier[0] = 1e7F;
  all.push_back(outlier);
  return all;
}

TEST(PointTree, GroupsCoverEveryPointOnce) {
  PointTree tree;
  for (const auto& points : shapes()) {
    const auto count = static_cast<int64_t>(points.size()) / 2;
    tree.build(points.data(), count);
    std::vector<int32_t> order(tree.order(), tree.order() + count);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(tree.x()[i], points[2 * static_cast<size_t>(order[static_cast<size_t>(i)])]);
      EXPECT_EQ(tree.y()[i], points[2 * static_cast<size_t>(order[static_cast<size_t>(i)]) + 1]);
    }
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < count; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
    int32_t next = 0;
    for (const auto& group : tree.groups()) {
      EXPECT_EQ(group.first, next);
      EXPECT_GE(group.count, 1);
      EXPECT_LE(group.count, PointTree::kGroupPoints);
      next += group.count;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(PointTree, EveryListHasTheTotalMassAndItsCenter) {
  PointTree tree;
  SourceList list;
  for (const auto& points : shapes()) {
    const auto count = static_cast<int64_t>(points.size()) / 2;
    tree.build(points.data(), count);
    const double x = std::accumulate(tree.x(), tree.x() + count, 0.0);
    const double size = std::abs(*std::max_element(tree.x(), tree.x() + count)) + 1;
    for (const double theta : {0.01, 0.5, 1.0}) {
      for (const auto& group : tree.groups()) {
        tree.collect(group, theta, list);
        double mass = 0, moment = 0;
        for (int64_t s = 0; s < list.count(); ++s) {
          mass += list.mass()[s];
          moment += static_cast<double>(list.mass()[s]) * list.x()[s];
        }
        EXPECT_EQ(mass, static_cast<double>(count));
        EXPECT_NEAR(moment, x, 1e-6 * size * static_cast<double>(count));
      }
    }
  }
}

TEST(PointTree, ListContainsThePointsOfTheGroupIndividually) {
  const auto points = scattered(1000, 4);
  PointTree tree;
  SourceList list;
  tree.build(points.data(), 1000);
  for (const double theta : {0.5, 1.0}) {
    for (const auto& group : tree.groups()) {
      tree.collect(group, theta, list);
      for (int32_t i = group.first; i < group.first + group.count; ++i) {
        bool found = false;
        for (int64_t s = 0; s < list.count() && !found; ++s) {
          found = list.mass()[s] == 1 && list.x()[s] == tree.x()[i] && list.y()[s] == tree.y()[i];
        }
        EXPECT_TRUE(found);
      }
    }
  }
}

TEST(PointTree, CoarserListsAreShorter) {
  const auto points = scattered(5000, 5);
  PointTree tree;
  tree.build(points.data(), 5000);
  SourceList list;
  int64_t before = std::numeric_limits<int64_t>::max();
  for (const double theta : {0.1, 0.3, 0.5, 0.7}) {
    int64_t sources = 0;
    for (const auto& group : tree.groups()) {
      tree.collect(group, theta, list);
      sources += list.count();
    }
    EXPECT_LT(sources, before);
    before = sources;
  }
}

}  // namespace
}  // namespace projnce::testing
