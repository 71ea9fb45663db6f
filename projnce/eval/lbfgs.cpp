#include "projnce/eval/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace projnce::eval {

namespace {

using Vector = std::vector<double>;

constexpr size_t kHistory = 10;
constexpr int kMaxHalvings = 20;
constexpr double kSufficient = 1e-4;  // Armijo condition: fraction of the predicted decrease

double vector_dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(Vector& to, double factor, const Vector& what) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}

Vector difference(const Vector& a, const Vector& b) {
  Vector out = a;
  add_scaled(out, -1, b);
  return out;
}

/// A step and the resulting change of the gradient.
struct Correction {
  Vector step;
  Vector change;
  double curvature;  // step . change, > 0
};

/// Returns the descent direction, minus the approximate inverse Hessian times the gradient, by the
/// two-loop recursion.
Vector descent_direction(const Vector& gradient, const std::deque<Correction>& history) {
  Vector direction = gradient;
  std::vector<double> weights(history.size());
  for (size_t i = history.size(); i-- > 0;) {
    weights[i] = vector_dot(history[i].step, direction) / history[i].curvature;
    add_scaled(direction, -weights[i], history[i].change);
  }
  const double scale =
      history.empty()
          ? 1 / std::max(1.0, std::sqrt(vector_dot(gradient, gradient)))
          : history.back().curvature / vector_dot(history.back().change, history.back().change);
  for (double& value : direction) value *= -scale;
  for (size_t i = 0; i < history.size(); ++i) {
    const double weight = vector_dot(history[i].change, direction) / history[i].curvature;
    add_scaled(direction, -weights[i] - weight, history[i].step);
  }
  return direction;
}

void append_correction(std::deque<Correction>& history, Vector step, Vector change) {
  const double curvature = vector_dot(step, change);
  if (curvature <= 1e-10 * vector_dot(change, change)) return;  // not convex here
  history.push_back({std::move(step), std::move(change), curvature});
  if (history.size() > kHistory) history.pop_front();
}

}  // namespace

double minimize_lbfgs(const SmoothFunction& function, std::vector<double>& point,
                      const LbfgsOptions& options) {
  Vector gradient(point.size());
  Vector next_gradient(point.size());
  double value = function(point, gradient);
  std::deque<Correction> history;
  for (int step = 0; step < options.max_steps; ++step) {
    const auto direction = descent_direction(gradient, history);
    const double slope = vector_dot(gradient, direction);
    if (!(slope < 0)) break;
    double length = 1;
    double next_value = value;
    Vector next;
    int halvings = 0;
    do {
      next = point;
      add_scaled(next, length, direction);
      next_value = function(next, next_gradient);
      length /= 2;
    } while (!(next_value <= value + kSufficient * 2 * length * slope) &&
             ++halvings < kMaxHalvings);
    if (halvings == kMaxHalvings) break;
    const double gain = value - next_value;
    append_correction(history, difference(next, point), difference(next_gradient, gradient));
    point = std::move(next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (gain <= options.tolerance * std::abs(value)) break;
  }
  return value;
}

}  // namespace projnce::eval
