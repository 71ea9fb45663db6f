#include "projnce/theory/sources.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "projnce/core/error.h"

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

namespace {

torch::Tensor fibonacci_points(int64_t count) {
  std::vector<double> points;
  for (int64_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) + 0.5;
    const double polar = std::acos(1 - 2 * t / static_cast<double>(count));
    const double azimuth = std::numbers::pi * (1 + std::sqrt(5.0)) * t;
    points.insert(points.end(), {std::sin(polar) * std::cos(azimuth),
                                 std::sin(polar) * std::sin(azimuth), std::cos(polar)});
  }
  return torch::tensor(points, torch::kFloat64).view({count, 3});
}

torch::Tensor class_centers(int64_t num_classes) {
  const auto axes = torch::eye(3, torch::kFloat64);
  if (num_classes == 2) return torch::stack({axes[2], -axes[2]});
  if (num_classes == 6) return torch::cat({axes, -axes});
  return fibonacci_points(num_classes);
}

/// Two unit vectors orthogonal to each center and to each other, [M, 2, 3].
torch::Tensor orthogonal_frames(const torch::Tensor& centers) {
  // The axis that a center is least aligned with is never parallel to it.
  const auto axis = torch::eye(3, torch::kFloat64).index_select(0, centers.abs().argmin(1));
  auto first = torch::cross(centers, axis, /*dim=*/1);
  first = first / first.norm(2, 1, true);
  return torch::stack({first, torch::cross(centers, first, /*dim=*/1)}, 1);
}

torch::Tensor uniform_numbers(int64_t count, torch::Generator& generator) {
  return torch::rand({count}, generator, torch::kFloat64);
}

torch::Tensor uniform_labels(int64_t count, int64_t num_classes, torch::Generator& generator) {
  return torch::randint(0, num_classes, {count}, generator, torch::kInt64);
}

torch::Tensor unit_length(const torch::Tensor& rows) {
  return rows / rows.norm(2, /*dim=*/1, /*keepdim=*/true);
}

}  // namespace

VmfMixture::VmfMixture(int64_t num_classes, double kappa)
    : kappa_(kappa),
      mean_length_(1 / std::tanh(kappa) - 1 / kappa),
      centers_(class_centers(num_classes)),
      frames_(orthogonal_frames(centers_)) {
  const auto posteriors = posterior(sphere_rule().points);
  information_ = expectation((posteriors * static_cast<double>(num_classes)).log());
}

information::LabeledRows VmfMixture::draw(int64_t count, torch::Generator& generator) const {
  const auto labels = uniform_labels(count, num_classes(), generator);
  const auto u = uniform_numbers(count, generator);
  const auto along = 1 + (u + (1 - u) * std::exp(-2 * kappa_)).log() / kappa_;
  const auto angle = 2 * std::numbers::pi * uniform_numbers(count, generator);
  const auto across = (1 - along * along).clamp_min(0).sqrt();
  const auto frame = frames_.index_select(0, labels);
  const auto rows = along.unsqueeze(1) * centers_.index_select(0, labels) +
                    (across * angle.cos()).unsqueeze(1) * frame.select(1, 0) +
                    (across * angle.sin()).unsqueeze(1) * frame.select(1, 1);
  return {rows, labels};
}

torch::Tensor VmfMixture::posterior(const torch::Tensor& rows) const {
  return (kappa_ * rows.mm(centers_.t())).softmax(1);
}

double VmfMixture::expectation(const torch::Tensor& by_class) const {
  const auto& rule = sphere_rule();
  // kappa / (4 pi sinh kappa) e^{kappa mu.z}
  const auto density = kappa_ / (4 * std::numbers::pi * std::sinh(kappa_)) *
                       (kappa_ * rule.points.mm(centers_.t())).exp();
  const auto weights = rule.weights.unsqueeze(1) * density;
  return (weights * by_class).sum().item<double>() / static_cast<double>(num_classes());
}

std::string VmfMixture::name() const {
  return fmt::format("vMF({}, {})", num_classes(), kappa_);
}

information::LabeledRows draw_random_labels(int64_t count, int64_t num_classes, int64_t dim,
                                            int64_t views, torch::Generator& generator) {
  const auto draw = [&](int64_t rows) {
    return unit_length(torch::randn({rows, dim}, generator, torch::kFloat64));
  };
  const int64_t instances = count / views;
  const auto labels = uniform_labels(instances, num_classes, generator);
  const auto base = draw(instances);
  if (views == 1) return {base, labels};
  const double half = std::sqrt(0.5);
  return {unit_length(half * base.repeat({views, 1}) + half * draw(instances * views)),
          labels.repeat({views}), torch::arange(instances).repeat({views})};
}

information::LabeledRows draw_separated(int64_t count, int64_t num_classes,
                                        torch::Generator& generator) {
  const auto labels = uniform_labels(count, num_classes, generator);
  return {torch::eye(num_classes, torch::kFloat64).index_select(0, labels), labels};
}

FiniteSource::FiniteSource()
    : joint(torch::tensor({0.30, 0.05, 0.10, 0.20, 0.05, 0.30}, torch::kFloat64).view({3, 2})) {}

torch::Tensor FiniteSource::log_ratio() const {
  return (joint / joint.sum(1, true) / class_priors()).log();
}

double FiniteSource::information() const {
  return (joint * log_ratio()).sum().item<double>();
}

torch::Generator experiment_generator(uint64_t seed) {
  return at::detail::createCPUGenerator(seed);
}

}  // namespace projnce::theory
