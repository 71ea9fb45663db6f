#include "tests/support/batches.h"

#include <ATen/CPUGeneratorImpl.h>

namespace projnce::testing {

namespace {

torch::Tensor selected(const torch::Tensor& tensor, const torch::Tensor& order) {
  return tensor.defined() ? tensor.index_select(0, order) : tensor;
}

torch::Tensor part(const torch::Tensor& tensor, int64_t start, int64_t size) {
  return tensor.defined() ? tensor.narrow(0, start, size) : tensor;
}

}  // namespace

at::Generator seeded_generator(uint64_t seed) {
  return at::make_generator<at::CPUGeneratorImpl>(seed);
}

torch::Tensor random_normal(int64_t rows, int64_t columns, uint64_t seed) {
  return torch::randn({rows, columns}, seeded_generator(seed), torch::kFloat64);
}

torch::Tensor random_uniform(int64_t rows, int64_t columns, uint64_t seed) {
  return torch::rand({rows, columns}, seeded_generator(seed), torch::kFloat64);
}

torch::Tensor random_labels(int64_t rows, int64_t classes, uint64_t seed) {
  return torch::randint(classes, {rows}, seeded_generator(seed), torch::kInt64);
}

torch::Tensor random_unit_rows(int64_t rows, int64_t dim, uint64_t seed) {
  const auto x = random_normal(rows, dim, seed);
  return x / x.norm(2, 1, true);
}

torch::Tensor random_rotation(int64_t dim, uint64_t seed) {
  return std::get<0>(torch::linalg_qr(random_normal(dim, dim, seed)));
}

loss::ContrastiveBatch permuted(const loss::ContrastiveBatch& batch, const torch::Tensor& order) {
  auto result =
      loss::make_batch(selected(batch.candidates, order), selected(batch.candidate_labels, order),
                       selected(batch.candidate_instances, order));
  result.candidate_soft_labels = selected(batch.candidate_soft_labels, order);
  return result;
}

std::vector<loss::ContrastiveBatch> gathered(const loss::ContrastiveBatch& batch,
                                             const std::vector<int64_t>& sizes) {
  std::vector<loss::ContrastiveBatch> parts;
  int64_t start = 0;
  for (const auto size : sizes) {
    auto one = batch;
    one.anchors = part(batch.anchors, start, size);
    one.anchor_labels = part(batch.anchor_labels, start, size);
    one.anchor_instances = part(batch.anchor_instances, start, size);
    one.anchor_features = part(batch.anchor_features, start, size);
    one.anchor_offset = start;
    parts.push_back(one);
    start += size;
  }
  return parts;
}

}  // namespace projnce::testing
