#include "projnce/theory/batch_values.h"

#include <cmath>

#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/supcon.h"

namespace projnce {

namespace {

double log_of(int64_t count) {
  return std::log(static_cast<double>(count));
}

ContrastiveBatch batch_of(const LabeledRows& rows) {
  auto batch = make_batch(rows.embeddings, rows.labels);
  batch.with_parts = false;
  return batch;
}

}  // namespace

BoundResult batch_pair_bound(const LabeledRows& rows, int64_t num_classes, double temperature) {
  return pair_bound(
      rows, {.temperature = temperature, .priors = {.num_classes = num_classes}, .batches = 1});
}

double log_rows_minus_supcon(const LabeledRows& rows, double temperature) {
  const auto value =
      supcon(batch_of(rows), {.temperature = temperature, .empty_pos = EmptyPositives::kSkip});
  return log_of(rows.labels.size(0) - 1) - value.loss.item<double>();
}

double letter_of_the_paper(const LabeledRows& rows, double temperature) {
  auto options = projnce_preset(ProjncePreset::kPaper);
  options.temperature = temperature;
  const auto terms = projnce_terms(batch_of(rows), options);
  return 1 + log_of(rows.labels.size(0)) - terms.self_p.item<double>() -
         terms.ratio.mean().item<double>();
}

LeaveOneOutValue leave_one_out_value(const LabeledRows& rows, double temperature) {
  const auto terms = projnce_terms(
      batch_of(rows), {.temperature = temperature, .empty_pos = EmptyPositives::kSkip});
  const double ratio = terms.ratio.mean().item<double>();
  return {1 + log_of(rows.labels.size(0) - 1) - terms.self_p.item<double>() - ratio, ratio};
}

double log_rows_minus_class_loss(const LabeledRows& rows, const torch::Tensor& class_vectors,
                                 double temperature) {
  const auto value = projnce_mlp(batch_of(rows), class_vectors,
                                 {.temperature = temperature, .normalize_g = false});
  return log_of(rows.labels.size(0)) - value.loss.item<double>();
}

}  // namespace projnce
