#pragma once

#include <torch/types.h>

namespace projnce::theory {

/// Points on the unit sphere in three dimensions with weights, so that the integral of a smooth
/// function is the weighted sum of its values.
struct SphereRule {
  torch::Tensor points;   // [n, 3], float64
  torch::Tensor weights;  // [n], sum 4 pi
};

/// Gauss-Legendre in the cosine of the polar angle (120 nodes) times the trapezoid rule in azimuth
/// (240 nodes); integrals of this module are stable to 1e-9.
const SphereRule& sphere_rule();

}  // namespace projnce::theory
