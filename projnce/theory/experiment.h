#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projnce/report/line_chart.h"

namespace projnce {

/// A mean over independent repetitions with its standard error; 0 for exact values.
struct Estimate {
  double mean = 0;
  double se = 0;
};

/// Mean and standard error of independent values, two or more.
Estimate estimate_from(const std::vector<double>& values);

/// "1.234 ± 0.005", or without error for exact values.
std::string to_text(const Estimate& estimate, int digits = 3);

/// Something that the theory says, and whether the experiment agrees.
struct Claim {
  std::string text;  ///< "pair form, vMF(6, 4), N = 32: 0.583 ± 0.010 <= 1.066"
  bool holds = true;
  bool must_hold = true;  ///< if false, a disagreement is shown, but is not a failure
};

/// Collects claims. An inequality is violated by more than 4 standard errors plus 0.001 nats: an
/// experiment makes hundreds of comparisons, and 3 standard errors would fail by chance.
class Claims {
 public:
  void at_most(const std::string& what, const Estimate& value, double limit);
  void at_least(const std::string& what, const Estimate& value, double limit);
  /// A value that was measured elsewhere with the standard error `reference.se`, rounded to
  /// `rounding`: within 4 combined standard errors.
  void agrees(const std::string& what, const Estimate& value, const Estimate& reference,
              double rounding = 0.0005);
  /// A value without chance.
  void equals(const std::string& what, double value, double expected, double tolerance);
  void add(const std::string& text, bool holds) { claims_.push_back({text, holds}); }

  const std::vector<Claim>& all() const { return claims_; }

 private:
  std::vector<Claim> claims_;
};

/// Cells as text, the first column names the rows.
struct TheoryTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows = {};
};

/// What one experiment found.
struct TheoryResult {
  std::string id;       ///< "T1"
  std::string title;    ///< "InfoNCE converges to the information"
  std::string summary;  ///< what is done, and what must come out
  std::vector<TheoryTable> tables = {};
  LineChart chart = {};
  std::vector<Claim> claims = {};
  double seconds = 0;

  int64_t violated() const;  ///< claims that must hold and do not
};

}  // namespace projnce
