#pragma once

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "projnce/information/mi_bounds.h"
#include "projnce/report/chart/line_chart.h"

namespace projnce::theory {

/// A mean over independent repetitions and its standard error, which is 0 for exact values.
struct Estimate {
  double mean = 0;
  double se = 0;
};

/// Mean and standard error of two or more independent values.
Estimate estimate_mean(const std::vector<double>& values);

/// Calls `draw`, which returns std::array<double, K>, `repetitions` times. Returns the estimate of
/// each of the K means.
template <class Draw>
auto repeat(int64_t repetitions, const Draw& draw) {
  constexpr size_t kValues = std::tuple_size_v<decltype(draw())>;
  std::array<std::vector<double>, kValues> drawn;
  for (int64_t i = 0; i < repetitions; ++i) {
    const auto values = draw();
    for (size_t k = 0; k < kValues; ++k) drawn[k].push_back(values[k]);
  }
  std::array<Estimate, kValues> estimates;
  std::transform(drawn.begin(), drawn.end(), estimates.begin(), estimate_mean);
  return estimates;
}

/// "1.234 ± 0.005", or "1.234" for exact values.
std::string to_text(const Estimate& estimate, int digits = 3);

/// A point of a chart with the standard error as its error bar.
report::ChartPoint chart_point(double x, const Estimate& estimate);

/// A statement of the theory, and whether the experiment confirms it.
struct Claim {
  std::string text;  ///< "pair form, vMF(6, 4), N = 32: 0.583 ± 0.010 <= 1.066"
  bool holds = true;
};

/// Collects claims. Inequalities have a tolerance of 4 standard errors plus 0.001 nats: one run
/// makes hundreds of comparisons, so some of them would exceed 3 standard errors by chance.
class Claims {
 public:
  /// `value` is at most `limit`, up to the tolerance.
  void at_most(const std::string& what, const Estimate& value, const Estimate& limit);
  /// `value` is at least `limit`, up to the tolerance.
  void at_least(const std::string& what, const Estimate& value, const Estimate& limit);
  /// A counterexample: `value` lies above `limit` by more than 4 standard errors.
  void exceeds(const std::string& what, const Estimate& value, double limit);
  /// `value` is within 4 combined standard errors of a reference, which was computed by an
  /// independent program and rounded to `rounding`.
  void agrees(const std::string& what, const Estimate& value, const Estimate& reference,
              double rounding = 0.0005);
  /// |value - expected| <= tolerance.
  void equals(const std::string& what, double value, double expected, double tolerance);
  /// Any other statement.
  void add(const std::string& text, bool holds) { claims_.push_back({text, holds}); }

  const std::vector<Claim>& all() const { return claims_; }

 private:
  std::vector<Claim> claims_;
};

/// Cells as text; the first column names the rows.
struct TheoryTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows = {};
};

/// The outcome of one experiment.
struct TheoryResult {
  std::string id;       ///< "T1"
  std::string title;    ///< "InfoNCE converges to the information"
  std::string summary;  ///< the setting and the claims, in a few sentences
  std::vector<TheoryTable> tables = {};
  report::LineChart chart = {};
  std::vector<Claim> claims = {};
  double seconds = 0;

  /// Number of claims that do not hold.
  int64_t violated() const;
};

/// Settings that all experiments share.
struct TheoryOptions {
  uint64_t seed = 0;
  /// Factor of the numbers of repetitions, rows and training steps. Below 1, which tests use, an
  /// experiment also skips its largest batches.
  double effort = 1;

  /// `count` times the effort, at least `least`.
  int64_t scaled(int64_t count, int64_t least = 4) const {
    return std::max(least, static_cast<int64_t>(static_cast<double>(count) * effort));
  }
  /// True if the experiment runs at its full size.
  bool full() const { return effort >= 1; }
};

TheoryResult infonce_convergence(const TheoryOptions& options);  ///< T1
TheoryResult optimal_critic(const TheoryOptions& options);       ///< T2
TheoryResult adjustment_term(const TheoryOptions& options);      ///< T3
TheoryResult supcon_and_projnce(const TheoryOptions& options);   ///< T4
TheoryResult extreme_sources(const TheoryOptions& options);      ///< T5
TheoryResult kernel_regression(const TheoryOptions& options);    ///< T6
TheoryResult effect_of_ratio(const TheoryOptions& options);      ///< T7
TheoryResult trained_encoders(const TheoryOptions& options);     ///< T8

// Values of one batch that the experiments compare. Only the pair form is certified: none of the
// values that losses give is a lower bound on I(Z;C) in general.

/// Pair form on the whole batch with uniform priors.
information::BoundResult batch_pair_bound(const information::LabeledRows& rows, int64_t num_classes,
                                          double temperature);

/// log(N-1) - SupCon, SupCon being the mean over the anchors that have positives, 0 if none has.
double log_rows_minus_supcon(const information::LabeledRows& rows, double temperature);

/// 1 + log N - self-p - R with the sums that the paper prints: the anchor is one of its own
/// positives and part of its centroid in R.
double paper_value(const information::LabeledRows& rows, double temperature);

/// 1 + log(N-1) - self-p - R without the anchor's row in any sum. Other views of the anchor's
/// sample stay, and R is weighted by the class counts of the batch, so the value is not certified.
struct LeaveRowOutValue {
  double value = 0;
  double ratio = 0;  ///< R weighted by batch counts
};
/// Computes it.
LeaveRowOutValue leave_row_out_value(const information::LabeledRows& rows, double temperature);

/// log N - L with one vector for each class, which `class_vectors` [M, D] gives.
double log_rows_minus_class_loss(const information::LabeledRows& rows,
                                 const torch::Tensor& class_vectors, double temperature);

}  // namespace projnce::theory
