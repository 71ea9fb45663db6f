#pragma once

#include <torch/types.h>

#include "projnce/projection/class_groups.h"

namespace projnce {

/// For each class the point g with the smallest sum_j |z_j - g|, [M, D] -> [K, D], in double
/// precision inside.
///
/// A row that is optimal itself is the answer. Two rows: their midpoint, since every point between
/// is optimal. Otherwise Weiszfeld's iteration from the mean, finished by Newton's with
/// H = sum_j (I - u_j u_j^T) / r_j, r_j = |z_j - g|, u_j = (z_j - g) / r_j.
///
/// The gradient is implicit: H v = dL/dg, dL/dz_j = (v - (u_j.v) u_j) / r_j; where g is a row it
/// goes to that row alone. There is no second derivative: asking for one throws. O(n D) for each
/// step of Weiszfeld and for the test of the rows around its end, O(n D^2 + D^3) for each step of
/// Newton; only where neither gives the answer, O(n^2 D) time and O(n) memory to test all n rows.
torch::Tensor geometric_medians(const torch::Tensor& rows, const ClassGroups& groups);

}  // namespace projnce
