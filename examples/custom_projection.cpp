// A custom projection: the trimmed mean of a class, which excludes the rows that are least similar
// to its centroid. It is more robust to label noise than the plain mean.
#include <projnce/projnce.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

namespace {

/// g(c): the mean of the fraction `kept` of the rows of class c that are most similar to its
/// centroid.
class TrimmedMeanProjection : public projnce::Projection {
 public:
  explicit TrimmedMeanProjection(double kept) : kept_(kept) {}

  projnce::Projected project(const projnce::CandidateRows& candidates) override {
    const auto& groups = candidates.groups;
    const auto centroids = projnce::class_means(groups, candidates.rows.detach());  // [K, D]
    const auto similarity =
        (candidates.rows.detach() * centroids.index_select(0, groups.ids)).sum(1);  // [M]
    std::vector<torch::Tensor> vectors;
    for (int64_t c = 0; c < groups.size(); ++c) {
      const auto members = (groups.ids == c).nonzero().flatten();
      const auto count = std::max(1L, std::lround(kept_ * members.numel()));
      const auto best = std::get<1>(similarity.index_select(0, members).topk(count));
      const auto kept_rows = members.index_select(0, best);
      vectors.push_back(candidates.rows.index_select(0, kept_rows).mean(0));
    }
    return {.vectors = torch::stack(vectors)};  // [K, D]; gradients flow to the kept rows
  }

 private:
  double kept_;
};

void print_loss(const char* name, projnce::ProjectionPtr positive, const torch::Tensor& rows,
                const torch::Tensor& labels) {
  // The class vector contrasted with every single row: ProjNCE with another g+.
  projnce::GeneralizedInfoNCELoss loss(positive, std::make_shared<projnce::SampleProjection>(),
                                       {.temperature = 0.2});
  const auto leaf = rows.clone().requires_grad_();
  const auto value = loss.evaluate(projnce::make_batch(leaf, labels));
  value.loss.backward();
  std::cout << name << ": loss " << value.loss.item<double>();
  for (const auto& [part, number] : value.parts) {
    if (part == "R") std::cout << ", R " << number.item<double>();
  }
  std::cout << ", gradient " << leaf.grad().norm().item<double>() << '\n';
}

}  // namespace

int main() try {
  projnce::set_threads(0);
  torch::manual_seed(1);
  const auto truth = torch::randint(4, {400}, torch::kInt64);
  const auto centers = torch::randn({4, 16});
  const auto rows = torch::nn::functional::normalize(centers.index_select(0, truth) +
                                                     0.5 * torch::randn({400, 16}));
  const auto wrong = torch::rand({400}) < 0.2;
  const auto labels = torch::where(wrong, (truth + 1) % 4, truth);
  std::cout << "label entropy " << projnce::label_entropy(labels) << " nats\n";
  print_loss("centroid", std::make_shared<projnce::CentroidProjection>(), rows, labels);
  print_loss("trimmed mean", std::make_shared<TrimmedMeanProjection>(0.7), rows, labels);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
