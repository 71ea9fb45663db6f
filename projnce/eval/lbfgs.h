#pragma once

#include <functional>
#include <vector>

namespace projnce::eval {

/// Returns the value at a point and writes its gradient, which has the size of the point.
using SmoothFunction =
    std::function<double(const std::vector<double>& point, std::vector<double>& gradient)>;

struct LbfgsOptions {
  int max_steps = 30;
  /// Stops if the relative decrease of a step is below this.
  double tolerance = 1e-7;
};

/// Minimizes a function from `point` by L-BFGS with a backtracking line search, on one thread, in
/// double precision; returns the final value, which is never above the initial one.
double minimize_lbfgs(const SmoothFunction& function, std::vector<double>& point,
                      const LbfgsOptions& options = {});

}  // namespace projnce::eval
