#include "projnce/information/bounds.h"

#include <cmath>
#include <limits>

#include "projnce/core/error.h"

namespace projnce {

namespace {

void check_held_out(const torch::Tensor& rows, const torch::Tensor& labels,
                    const torch::Tensor& class_vectors, double temperature) {
  if (!(temperature > 0)) fail("held-out bound: temperature = ", temperature, " must be above 0");
  if (rows.dim() != 2 || rows.size(0) == 0 || class_vectors.dim() != 2 ||
      rows.size(1) != class_vectors.size(1)) {
    fail("held-out bound: rows are ", rows.sizes(), ", class vectors ", class_vectors.sizes(),
         "; expected [N, D] and [C, D]");
  }
  if (labels.dim() != 1 || labels.size(0) != rows.size(0) ||
      labels.scalar_type() != torch::kInt64) {
    fail("held-out bound: expected ", rows.size(0), " labels of type int64, one for each row");
  }
  const auto classes = class_vectors.size(0);
  if (((labels < 0) | (labels >= classes)).any().item<bool>()) {
    fail("held-out bound: a label is outside 0..", classes - 1);
  }
}

}  // namespace

double mi_bound_paper(double selfp, double ratio, int64_t rows) {
  return 1 + std::log(static_cast<double>(rows)) - selfp - ratio;
}

double mi_bound_effective(double selfp, double ratio, int64_t rows) {
  if (rows < 2) return std::numeric_limits<double>::quiet_NaN();
  return mi_bound_paper(selfp, ratio, rows - 1);
}

double mi_bound_class(double loss, int64_t rows) {
  return std::log(static_cast<double>(rows)) - loss;
}

double mi_bound_held_out(const torch::Tensor& rows, const torch::Tensor& labels,
                         const torch::Tensor& class_vectors, double temperature) {
  check_held_out(rows, labels, class_vectors, temperature);
  const torch::NoGradGuard no_gradient;
  const auto vectors = class_vectors.to(torch::kFloat64);
  const auto scores = rows.to(torch::kFloat64).mm(vectors.t()) / temperature;  // [N, C]
  // log 0 = -inf takes the classes that no held-out row has out of the sum.
  const auto log_count = torch::bincount(labels, {}, vectors.size(0)).to(torch::kFloat64).log();
  const auto own = scores.gather(1, labels.unsqueeze(1)).squeeze(1);
  const auto loss = ((scores + log_count).logsumexp(1) - own).mean().item<double>();
  return mi_bound_class(loss, rows.size(0));
}

}  // namespace projnce
