#include "projnce/theory/sphere_rule.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace projnce::theory {

namespace {

constexpr int kPolarNodes = 120;
constexpr int kAzimuthNodes = 240;

/// Value and derivative of the Legendre polynomial of degree n.
std::pair<double, double> legendre(int n, double x) {
  double before = 1;
  double value = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1)};
}

struct GaussNode {
  double at;
  double weight;
};

std::vector<GaussNode> gauss_legendre(int n) {
  std::vector<GaussNode> nodes;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    for (int newton = 0; newton < 50; ++newton) {
      const auto [value, slope] = legendre(n, x);
      x -= value / slope;
      if (std::abs(value / slope) < 1e-15) break;
    }
    const double slope = legendre(n, x).second;
    nodes.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

SphereRule make_sphere_rule() {
  std::vector<double> points;
  std::vector<double> weights;
  for (const auto& node : gauss_legendre(kPolarNodes)) {
    const double radius = std::sqrt(1 - node.at * node.at);
    for (int k = 0; k < kAzimuthNodes; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAzimuthNodes;
      points.insert(points.end(), {radius * std::cos(angle), radius * std::sin(angle), node.at});
      weights.push_back(node.weight * 2 * std::numbers::pi / kAzimuthNodes);
    }
  }
  return {torch::tensor(points, torch::kFloat64).view({-1, 3}),
          torch::tensor(weights, torch::kFloat64)};
}

}  // namespace

const SphereRule& sphere_rule() {
  static const SphereRule rule = make_sphere_rule();
  return rule;
}

}  // namespace projnce::theory
