#pragma once

#include <functional>
#include <vector>

namespace projnce::eval {

/// Value at a point; writes the gradient, which has the point's size.
using SmoothFunction =
    std::function<double(const std::vector<double>& point, std::vector<double>& gradient)>;

struct LbfgsOptions {
  int max_steps = 30;
  /// Ends where a step gains less than this share of the value.
  double tolerance = 1e-7;
};

/// Walks downhill from `point` by limited-memory BFGS with a backtracking line search, one thread,
/// in double precision; returns the value where it ends. Never ends above where it began.
double minimize_lbfgs(const SmoothFunction& function, std::vector<double>& point,
                      const LbfgsOptions& options = {});

}  // namespace projnce::eval
