// A custom training loop with ProjNCE. Each class consists of two clusters on opposite sides of the
// origin, so class means are uninformative until the encoder has merged the clusters.
#include <projnce/projnce.h>
#include <torch/torch.h>

#include <iomanip>
#include <iostream>

namespace {

constexpr int64_t kClasses = 8;
constexpr int64_t kInputDim = 32;
constexpr int64_t kEmbeddingDim = 16;

struct Samples {
  torch::Tensor points;  // [N, kInputDim]
  torch::Tensor labels;  // [N], int64
};

Samples draw_samples(const torch::Tensor& centers, int64_t count) {
  const auto labels = torch::randint(kClasses, {count}, torch::kInt64);
  const auto sides = torch::randint(2, {count, 1}) * 2 - 1;
  const auto noise = torch::randn({count, kInputDim});
  return {centers.index_select(0, labels) * sides + noise, labels};
}

/// Prints the fraction of test rows that are nearest to the centroid of their own class.
void print_accuracy(const std::string& what, const torch::Tensor& train_rows, const Samples& train,
                    const torch::Tensor& test_rows, const Samples& test) {
  const auto centroids = projnce::class_centroids(train_rows, train.labels, kClasses);
  const auto scores = projnce::cosine_scores(test_rows, centroids);
  const auto accuracy = projnce::measure_accuracy(scores, test.labels);
  std::cout << "nearest centroid, " << what << ": " << 100 * accuracy.top1 << " %\n";
}

}  // namespace

int main() {
  projnce::set_threads(0);  // all cores
  torch::manual_seed(1);
  std::cout << std::fixed << std::setprecision(2);
  const auto centers = torch::randn({kClasses, kInputDim});

  torch::nn::Sequential encoder(torch::nn::Linear(kInputDim, 128), torch::nn::ReLU(),
                                torch::nn::Linear(128, kEmbeddingDim));
  const auto embed = [&](const torch::Tensor& points) {
    return torch::nn::functional::normalize(encoder->forward(points));  // losses never normalize
  };
  projnce::ProjnceLoss loss({.temperature = 0.1});
  torch::optim::Adam optimizer(encoder->parameters(), torch::optim::AdamOptions(1e-3));

  for (int step = 0; step <= 100; ++step) {
    const auto batch = draw_samples(centers, 256);
    const auto value = loss.evaluate(projnce::make_batch(embed(batch.points), batch.labels));
    optimizer.zero_grad();
    value.loss.backward();
    optimizer.step();
    if (step % 20 == 0) {
      std::cout << "step " << step << "  loss " << value.loss.item<double>();
      for (const auto& [name, part] : value.parts) {
        std::cout << "  " << name << ' ' << part.item<double>();
      }
      std::cout << '\n';
    }
  }

  const torch::NoGradGuard no_gradient;
  const auto train = draw_samples(centers, 1000);
  const auto test = draw_samples(centers, 1000);
  print_accuracy("points", train.points, train, test.points, test);
  print_accuracy("embeddings", embed(train.points), train, embed(test.points), test);
}
