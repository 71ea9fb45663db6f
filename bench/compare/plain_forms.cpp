#include "bench/compare/plain_forms.h"

#include <torch/types.h>

namespace projnce::bench {

namespace {

/// SupCon loss of each anchor and the log of its denominator, both [N].
struct SupConTerms {
  torch::Tensor loss;
  torch::Tensor log_mass;
};

SupConTerms supcon_terms(const torch::Tensor& z, const torch::Tensor& labels, double temperature) {
  const auto scores = z.mm(z.t()) / temperature;                                       // [N, N]
  const auto highest = std::get<0>(scores.max(/*dim=*/1, /*keepdim=*/true)).detach();  // [N, 1]
  const auto logits = scores - highest;
  const auto others = 1 - torch::eye(z.size(0), z.options().requires_grad(false));
  const auto same_class = labels.unsqueeze(1).eq(labels.unsqueeze(0)).to(z.scalar_type());
  const auto positives = same_class * others;
  const auto log_mass = (logits.exp() * others).sum(/*dim=*/1, /*keepdim=*/true).log();
  const auto log_share = logits - log_mass;
  const auto loss = -(positives * log_share).sum(1) / positives.sum(1).clamp_min(1);
  return {loss, (log_mass + highest).squeeze(1)};
}

}  // namespace

torch::Tensor plain_supcon(const torch::Tensor& z, const torch::Tensor& labels,
                           double temperature) {
  return supcon_terms(z, labels, temperature).loss.mean();
}

torch::Tensor plain_projnce(const torch::Tensor& z, const torch::Tensor& labels,
                            double temperature) {
  const auto [loss, log_mass] = supcon_terms(z, labels, temperature);
  const auto hard = torch::one_hot(labels).to(z.scalar_type());                     // [N, C]
  const auto sums = hard.t().mm(z);                                                 // [C, D]
  const auto counts = hard.sum(/*dim=*/0);                                          // [C]
  const auto others_of_class = counts.index_select(0, labels).unsqueeze(1) - 1;     // [N, 1]
  const auto own = (sums.index_select(0, labels) - z) / others_of_class;            // [N, D]
  const auto own_score = (z * own).sum(/*dim=*/1, /*keepdim=*/true) / temperature;  // [N, 1]
  const auto scores = z.mm((sums / counts.unsqueeze(1)).t()) / temperature;         // [N, C]
  const auto terms = torch::where(hard.to(torch::kBool), own_score, scores) + (counts - hard).log();
  return loss.mean() + (terms.logsumexp(/*dim=*/1) - log_mass).exp().mean();
}

torch::Tensor plain_class_contrast(const torch::Tensor& z, const torch::Tensor& labels,
                                   const torch::Tensor& g, double temperature) {
  const auto logits = z.mm(g.index_select(0, labels).t()) / temperature;  // [N, N]
  return (logits.logsumexp(/*dim=*/1) - logits.diagonal()).mean();
}

torch::Tensor plain_medians(const torch::Tensor& z, const torch::Tensor& labels, int64_t classes) {
  std::vector<torch::Tensor> medians;
  for (int64_t c = 0; c < classes; ++c) {
    medians.push_back(std::get<0>(z.index({labels == c}).median(/*dim=*/0)));
  }
  return torch::stack(medians);
}

torch::Tensor plain_nadaraya_watson(const torch::Tensor& z, const torch::Tensor& labels,
                                    int64_t classes, double bandwidth) {
  const auto t = torch::cdist(z, z, /*p=*/1) / bandwidth;                 // [N, N]
  const auto kappa = (1 - t * t).clamp_min(0);                            // [N, N]
  const auto hard = torch::one_hot(labels, classes).to(z.scalar_type());  // [N, C]
  return kappa.mm(hard) / kappa.sum(/*dim=*/1, /*keepdim=*/true);
}

}  // namespace projnce::bench
