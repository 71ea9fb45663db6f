#include "projnce/kernel/class_median.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "projnce/kernel/isa.h"
#include "tests/kernel/threads.h"
#include "tests/support/kernel_variants.h"

namespace projnce::testing {
namespace {

using namespace kernel;

/// Draws one value. Covers distributions that are hard for selection.
using DrawNumber = std::function<double(std::mt19937&)>;

double normal(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

double anything(std::mt19937& random) {
  constexpr auto kInf = std::numeric_limits<double>::infinity();
  const double odd[] = {std::nan(""), -std::nan(""), kInf, -kInf, 0.0, -0.0, 1e-310, 1.0};
  return odd[random() % std::size(odd)];
}

const std::vector<std::pair<const char*, DrawNumber>> kColumns = {
    {"normal", normal},
    {"clustered", [](auto& random) { return random() % 4 + 1e-4 * normal(random); }},
    {"tied", [](auto& random) { return std::round(2 * normal(random)); }},
    {"constant", [](auto&) { return -3.0; }},
    {"zeros of both signs", [](auto& random) { return random() % 2 == 0 ? 0.0 : -0.0; }},
    {"of all magnitudes",
     [](auto& random) { return normal(random) * std::exp(9 * normal(random)); }},
    {"one far away", [](auto& random) { return random() % 50 == 0 ? 1e30 : normal(random); }},
    {"not finite", anything},
};

template <class T>
struct MedianCase {
  std::vector<T> values;
  int64_t dim;
  ClassRows classes;
};

template <class T>
MedianCase<T> draw_median_case(int64_t count, int64_t dim, int64_t classes, const DrawNumber& draw,
                               uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(static_cast<size_t>(count * dim));
  for (auto& value : values) value = static_cast<T>(draw(random));
  std::vector<int64_t> ids(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {  // class 0 is the largest, the last may have one row
    const auto any = std::min<int64_t>(random() % classes, random() % classes);
    ids[static_cast<size_t>(i)] = i < classes ? i : any;
  }
  return {std::move(values), dim, ClassRows(ids.data(), count, classes)};
}

struct Selected {
  std::vector<int64_t> lower;
  std::vector<int64_t> upper;

  explicit Selected(int64_t size) : lower(static_cast<size_t>(size)), upper(lower.size()) {}
  bool operator==(const Selected&) const = default;
};

/// Reference: stable sort with NaN last.
template <class T>
Selected sorted(const MedianCase<T>& data) {
  Selected result(data.classes.classes() * data.dim);
  for (int64_t c = 0; c < data.classes.classes(); ++c) {
    const auto n = data.classes.size(c);
    for (int64_t k = 0; k < data.dim; ++k) {
      const auto value = [&](int64_t row) { return data.values[row * data.dim + k]; };
      std::vector<int64_t> rows(data.classes.members(c), data.classes.members(c) + n);
      std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
        return value(a) < value(b) || (!std::isnan(value(a)) && std::isnan(value(b)));
      });
      result.lower[c * data.dim + k] = rows[(n - 1) / 2];
      result.upper[c * data.dim + k] = rows[n / 2];
    }
  }
  return result;
}

template <class T>
Selected selected(const MedianCase<T>& data) {
  Selected result(data.classes.classes() * data.dim);
  select_class_medians(data.values.data(), data.dim, data.classes, result.lower.data(),
                       result.upper.data());
  auto lower = result.lower;
  select_class_medians(data.values.data(), data.dim, data.classes, lower.data(), nullptr);
  EXPECT_EQ(lower, result.lower) << "with and without the upper medians";
  return result;
}

/// Calls check(data, note) for many sizes and distributions.
template <class T>
void for_many_cases(const std::function<void(const MedianCase<T>&, const std::string&)>& check) {
  uint32_t seed = 0;
  for (const auto& [name, draw] : kColumns) {
    for (const int64_t count : {1, 2, 63, 64, 65, 1000}) {
      for (const int64_t dim : {1, 3, 17, 128, 130}) {
        if (count * dim > 70000 && seed % 3 != 0) continue;  // the reference sort is slow
        const auto classes = std::min<int64_t>(count, 1 + seed % 7);
        check(draw_median_case<T>(count, dim, classes, draw, ++seed),
              std::string(name) + ": " + std::to_string(count) + " rows of " + std::to_string(dim) +
                  " in " + std::to_string(classes) + " classes");
      }
    }
  }
}

using ClassMedian = KernelVariantTest;

template <class T>
void expect_rows_of_a_stable_sort() {
  const Threads one(1);
  for_many_cases<T>([](const MedianCase<T>& data, const std::string& note) {
    EXPECT_EQ(selected(data), sorted(data)) << note;
  });
}

TEST_P(ClassMedian, SelectsTheRowsOfAStableSort) {
  expect_rows_of_a_stable_sort<float>();
  expect_rows_of_a_stable_sort<double>();
}

TEST_P(ClassMedian, DoesNotDependOnTheNumberOfThreads) {
  const auto data = draw_median_case<float>(1000, 130, 9, normal, 5);
  const auto expected = sorted(data);
  for (const int threads : {1, 2, 3}) {
    const Threads limited(threads);
    EXPECT_EQ(selected(data), expected) << threads << " threads";
  }
}

INSTANTIATE_KERNEL_VARIANTS(ClassMedian);

}  // namespace
}  // namespace projnce::testing
