#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "projnce/loss/loss.h"
#include "tests/support/batches.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {

/// A loss with one setting of its options, and which properties hold for it.
struct LossSetting {
  std::string name;
  std::function<loss::LossValue(const loss::ContrastiveBatch&)> evaluate;
  bool differentiable = true;  ///< the gradient is that of the value: nothing is detached
  bool any_labels = true;      ///< labels may be renamed
  bool rotates = true;         ///< rotating all embeddings changes nothing
  bool any_rows = true;        ///< any number of rows for each instance
};
using LossSettings = std::vector<LossSetting>;

inline void PrintTo(const LossSetting& setting, std::ostream* out) {
  *out << setting.name;
}

LossSettings settings_with(LossSettings settings, bool LossSetting::*property);

/// Temperature of the settings.
constexpr double kTemperature = 0.4;
/// Width of mixed_batch().
constexpr int64_t kBatteryDim = 4;

/// Ten unit rows in four dimensions: five instances with two views; classes 0..3, one of them with
/// a single row; soft labels over four classes. Float64.
loss::ContrastiveBatch mixed_batch(uint64_t seed = 7);

/// Eight rows in which every anchor has positives and negatives: four instances with two views, two
/// classes; soft labels. Float64.
loss::ContrastiveBatch balanced_batch();

/// Tests of every loss (loss_battery.cpp): gradient, gathered rows, precision, edges, errors.
class EveryLoss : public ::testing::TestWithParam<LossSetting> {
 protected:
  /// The batch with its rows replaced, the anchors being the candidates.
  static loss::ContrastiveBatch with_rows(loss::ContrastiveBatch batch, const torch::Tensor& rows);
  double value(const loss::ContrastiveBatch& batch) const;
  torch::Tensor gradient(const loss::ContrastiveBatch& batch) const;
};
/// Nothing is treated as a constant.
class DifferentiableLoss : public EveryLoss {};
/// Rows need not come in pairs, first views before second ones, as those of infonce do.
class LossOfAnyRows : public EveryLoss {};
/// Labels are not rows of a matrix.
class LossOfAnyLabels : public EveryLoss {};
/// Depends on the angles between the embeddings only.
class LossOfAnglesOnly : public EveryLoss {};
/// Mean, sum and the values of single anchors agree (reduction_test.cpp).
class LossReduction : public ::testing::TestWithParam<LossSetting> {};

/// The part of that name; fails the test if there is none.
double part(const loss::LossValue& value, const std::string& name);
double loss_of(const loss::LossValue& value);

/// Largest absolute difference.
double largest_difference(const torch::Tensor& a, const torch::Tensor& b);

/// Labels 0..classes-1 in turn.
torch::Tensor balanced_labels(int64_t rows, int64_t classes);

/// Unit rows around a direction for each class; `spread` 0 makes classes points.
torch::Tensor clustered_rows(const torch::Tensor& labels, int64_t dim, double spread,
                             uint64_t seed);

/// Expects the float32 gradient of 128 clustered rows of width 32 in ten classes, two views each,
/// within 1e-4 of the float64 gradient.
void expect_float32_is_enough(
    const std::function<torch::Tensor(const loss::ContrastiveBatch&)>& loss);

/// Twelve rows of norm 1.2 in classes 0, 1, 3 and 9, the last one with a single row.
class PairLossTest : public ::testing::Test {
 protected:
  loss::ContrastiveBatch batch() const { return loss::make_batch(z_, y_); }

  torch::Tensor z_ = random_unit_rows(12, 5, 11) * 1.2;
  torch::Tensor y_ = torch::tensor({0, 3, 0, 1, 1, 1, 0, 3, 3, 9, 3, 0});
  double log_others_ = std::log(11.0);
};

/// Sixteen unit rows in three classes, two views of each of eight instances.
class BalancedLossTest : public ::testing::Test {
 protected:
  loss::ContrastiveBatch batch() const { return loss::make_batch(z_, y_, instances_); }

  torch::Tensor z_ = random_unit_rows(16, 6, 31);
  torch::Tensor y_ = torch::tensor({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 2});
  torch::Tensor instances_ = torch::arange(16).remainder(8);
};

/// Nine unit rows in classes 0..2 and a matrix of five class vectors.
class ClassLossTest : public ::testing::Test {
 protected:
  loss::ContrastiveBatch batch() const { return loss::make_batch(z_, y_); }
  /// A batch of one class gives log N, with zero gradient.
  void expect_log_n_for_one_class(
      const std::function<torch::Tensor(const loss::ContrastiveBatch&)>& loss) const;

  torch::Tensor z_ = random_unit_rows(9, 4, 21);
  torch::Tensor y_ = torch::tensor({0, 2, 0, 1, 1, 2, 0, 2, 2});
  torch::Tensor w_ = random_unit_rows(5, 4, 22) * 2;
};

}  // namespace projnce::testing

/// Runs the tests of every loss on the settings of one.
#define INSTANTIATE_LOSS_TESTS(Name, settings)                                                     \
  static const auto k##Name##SettingName = [](const auto& test) { return test.param.name; };       \
  INSTANTIATE_TEST_SUITE_P(Name, EveryLoss, ::testing::ValuesIn(settings()),                       \
                           k##Name##SettingName);                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      Name, DifferentiableLoss,                                                                    \
      ::testing::ValuesIn(settings_with(settings(), &LossSetting::differentiable)),                \
      k##Name##SettingName);                                                                       \
  INSTANTIATE_TEST_SUITE_P(Name, LossOfAnyRows,                                                    \
                           ::testing::ValuesIn(settings_with(settings(), &LossSetting::any_rows)), \
                           k##Name##SettingName);                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      Name, LossOfAnyLabels,                                                                       \
      ::testing::ValuesIn(settings_with(settings(), &LossSetting::any_labels)),                    \
      k##Name##SettingName);                                                                       \
  INSTANTIATE_TEST_SUITE_P(Name, LossOfAnglesOnly,                                                 \
                           ::testing::ValuesIn(settings_with(settings(), &LossSetting::rotates)),  \
                           k##Name##SettingName);                                                  \
  INSTANTIATE_TEST_SUITE_P(Name, LossReduction, ::testing::ValuesIn(settings()),                   \
                           k##Name##SettingName)
