#include "tests/loss/loss_battery.h"

#include <cmath>

namespace projnce::testing {

LossSettings settings_with(LossSettings settings, bool LossSetting::*property) {
  std::erase_if(settings, [property](const LossSetting& s) { return !(s.*property); });
  return settings;
}

loss::ContrastiveBatch mixed_batch(uint64_t seed) {
  auto batch = make_batch(random_unit_rows(10, kBatteryDim, seed),
                          torch::tensor({0, 0, 1, 1, 2, 2, 0, 1, 3, 0}),
                          torch::tensor({0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  batch.candidate_soft_labels = random_uniform(10, 4, seed + 1);
  return batch;
}

loss::ContrastiveBatch balanced_batch() {
  auto batch =
      make_batch(random_unit_rows(8, kBatteryDim, 11), torch::tensor({0, 1, 0, 1, 0, 1, 0, 1}),
                 torch::tensor({0, 1, 2, 3, 0, 1, 2, 3}));
  batch.candidate_soft_labels = random_uniform(8, 4, 12);
  return batch;
}

loss::ContrastiveBatch EveryLoss::with_rows(loss::ContrastiveBatch batch,
                                            const torch::Tensor& rows) {
  batch.anchors = rows;
  batch.candidates = rows;
  return batch;
}

double EveryLoss::value(const loss::ContrastiveBatch& batch) const {
  return GetParam().evaluate(batch).loss.item<double>();
}

torch::Tensor EveryLoss::gradient(const loss::ContrastiveBatch& batch) const {
  return gradient_of(
      [&](const torch::Tensor& z) { return GetParam().evaluate(with_rows(batch, z)).loss; },
      batch.candidates);
}

double part(const loss::LossValue& value, const std::string& name) {
  for (const auto& [key, tensor] : value.parts) {
    if (key == name) return tensor.item<double>();
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

double loss_of(const loss::LossValue& value) {
  return value.loss.item<double>();
}

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

torch::Tensor balanced_labels(int64_t rows, int64_t classes) {
  return torch::arange(rows).remainder(classes);
}

torch::Tensor clustered_rows(const torch::Tensor& labels, int64_t dim, double spread,
                             uint64_t seed) {
  const auto centers = random_unit_rows(labels.max().item<int64_t>() + 1, dim, seed);
  const auto noise = random_unit_rows(labels.size(0), dim, seed + 1);
  const auto rows = centers.index_select(0, labels) + spread * noise;
  return rows / rows.norm(2, 1, true);
}

void expect_float32_is_enough(
    const std::function<torch::Tensor(const loss::ContrastiveBatch&)>& loss) {
  const auto y = balanced_labels(128, 10);
  const auto instances = torch::arange(128).remainder(64);
  const auto z = clustered_rows(y, 32, 0.8, 70);
  const auto f = [&](const torch::Tensor& x) { return loss(make_batch(x, y, instances)); };
  const auto exact = gradient_of(f, z);
  const auto rough = gradient_of(f, z.to(torch::kFloat32)).to(torch::kFloat64);
  EXPECT_LT(largest_difference(exact, rough), 1e-4 * exact.abs().max().item<double>());
}

void ClassLossTest::expect_log_n_for_one_class(
    const std::function<torch::Tensor(const loss::ContrastiveBatch&)>& loss) const {
  const auto f = [&](const torch::Tensor& z) { return loss(make_batch(z, torch::zeros_like(y_))); };
  EXPECT_NEAR(f(z_).item<double>(), std::log(9.0), 1e-12);
  EXPECT_LT(gradient_of(f, z_).abs().max().item<double>(), 1e-12);
}

}  // namespace projnce::testing
