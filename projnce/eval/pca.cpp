#include "projnce/eval/pca.h"

#include <ATen/Parallel.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::eval {

namespace {

/// Restricts LibTorch to one thread during its lifetime: sums of LibTorch and BLAS depend on the
/// number of threads.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Returns the directions [D, components] of largest variance, normalized or 0.
torch::Tensor principal_directions(const torch::Tensor& centered, int64_t components) {
  // Use the smaller of the two Gram matrices, which have the same nonzero eigenvalues.
  const bool tall = centered.size(0) >= centered.size(1);
  const auto square = tall ? centered.t().mm(centered) : centered.mm(centered.t());
  const auto [variances, vectors] = torch::linalg_eigh(square, "L");  // ascending
  const auto largest = vectors.narrow(1, vectors.size(1) - components, components).flip({1});
  const auto directions = tall ? largest : centered.t().mm(largest);  // [D, components]
  const auto kept = variances.narrow(0, variances.size(0) - components, components).flip({0});
  constexpr double kRounding = 1e-12;
  const auto lengths = directions.norm(2, /*dim=*/0);
  const auto some = (kept > kRounding * kept.abs().max()).logical_and(lengths > 0);
  return torch::where(some, directions / lengths, torch::zeros_like(directions));
}

torch::Tensor with_fixed_signs(const torch::Tensor& directions) {
  const auto at = directions.abs().argmax(/*dim=*/0, /*keepdim=*/true);  // [1, components]
  return torch::where(directions.gather(0, at) < 0, -directions, directions);
}

}  // namespace

torch::Tensor centered_rows(const torch::Tensor& rows) {
  const torch::NoGradGuard no_gradient;
  const OneThread one_thread;
  const auto wide = rows.detach().to(torch::kCPU).to(torch::kFloat64);
  if (wide.numel() == 0) return wide;
  constexpr double kLimit = 1e17;
  if (!wide.isfinite().all().item<bool>()) fail("the rows have a value that is not finite");
  const auto largest = wide.abs().max().item<double>();
  if (!(largest < kLimit)) {
    fail("the rows have the value ", largest, ", expected values below ", kLimit);
  }
  return wide - wide.mean(/*dim=*/0, /*keepdim=*/true);
}

torch::Tensor pca(const torch::Tensor& rows, int64_t components) {
  TORCH_CHECK(rows.dim() == 2, "PCA: expected a matrix of rows, got ", rows.sizes());
  const int64_t most = std::min(rows.size(0), rows.size(1));
  if (components < 1 || components > most) {
    fail("PCA: ", counted(components, "component"), " of rows [", rows.size(0), ", ", rows.size(1),
         "], expected 1 to ", most);
  }
  const torch::NoGradGuard no_gradient;
  const auto centered = centered_rows(rows);
  const OneThread one_thread;
  const auto directions = with_fixed_signs(principal_directions(centered, components));
  const bool wide = rows.scalar_type() == torch::kFloat64;
  return centered.mm(directions).to(wide ? torch::kFloat64 : torch::kFloat32);
}

}  // namespace projnce::eval
