#include "projnce/eval/audit/fold_data.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::eval {

std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t num_classes,
                                      int64_t folds, uint64_t seed) {
  std::vector<std::vector<size_t>> members(static_cast<size_t>(num_classes));
  for (size_t i = 0; i < labels.size(); ++i) members[static_cast<size_t>(labels[i])].push_back(i);
  std::vector<int64_t> fold(labels.size());
  Random random(seed);
  int64_t dealt = 0;  // continues across classes, so that small classes use different folds
  for (auto& rows : members) {
    random.shuffle(rows);
    for (const size_t row : rows) fold[row] = dealt++ % folds;
  }
  return fold;
}

namespace {

torch::Tensor center_and_scale(const torch::Tensor& embeddings) {
  auto rows = embeddings.to(torch::kCPU, torch::kDouble);
  const auto largest = rows.abs().max().item<double>();
  if (largest > 0) rows = rows / largest;  // avoids overflow of squares
  rows = rows - rows.mean(/*dim=*/0, /*keepdim=*/true);
  const double norm = rows.square().sum(/*dim=*/1).mean().sqrt().item<double>();
  if (!(norm > 1e-7)) fail("all embeddings are equal, expected features that depend on the label");
  return (rows / norm).to(torch::kFloat32);
}

}  // namespace

FoldData make_fold_data(const torch::Tensor& embeddings, const std::vector<int64_t>& labels,
                        int64_t num_classes, int64_t folds, uint64_t seed) {
  const auto fold = stratified_folds(labels, num_classes, folds, seed);
  FoldData data;
  data.original.resize(labels.size());
  std::iota(data.original.begin(), data.original.end(), 0);
  std::stable_sort(data.original.begin(), data.original.end(), [&](int64_t a, int64_t b) {
    return fold[static_cast<size_t>(a)] < fold[static_cast<size_t>(b)];
  });
  data.rows = center_and_scale(embeddings)
                  .index_select(0, torch::tensor(data.original, torch::kLong))
                  .contiguous();
  data.class_counts.assign(static_cast<size_t>(num_classes), 0);
  std::vector<int64_t> sizes(static_cast<size_t>(folds), 0);
  for (const int64_t row : data.original) {
    const auto i = static_cast<size_t>(row);
    data.labels.push_back(labels[i]);
    ++data.class_counts[static_cast<size_t>(labels[i])];
    ++sizes[static_cast<size_t>(fold[i])];
  }
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    data.folds.push_back({begin, begin + size});
    begin += size;
  }
  return data;
}

}  // namespace projnce::eval
