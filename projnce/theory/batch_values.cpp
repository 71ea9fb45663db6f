#include "projnce/theory/batch_values.h"

#include <cmath>

#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/supcon.h"

namespace projnce::theory {

namespace {

double log_of(int64_t count) {
  return std::log(static_cast<double>(count));
}

loss::ContrastiveBatch batch_of(const information::LabeledRows& rows) {
  auto batch = loss::make_batch(rows.embeddings, rows.labels);
  batch.with_parts = false;
  return batch;
}

}  // namespace

information::BoundResult batch_pair_bound(const information::LabeledRows& rows, int64_t num_classes,
                                          double temperature) {
  return information::pair_bound(
      rows, {.temperature = temperature, .priors = {.num_classes = num_classes}, .batches = 1});
}

double log_rows_minus_supcon(const information::LabeledRows& rows, double temperature) {
  const auto value = loss::supcon(
      batch_of(rows), {.temperature = temperature, .empty_positives = loss::EmptyPositives::kSkip});
  return log_of(rows.labels.size(0) - 1) - value.loss.item<double>();
}

double paper_value(const information::LabeledRows& rows, double temperature) {
  auto options = loss::projnce_preset(loss::ProjncePreset::kPaper);
  options.temperature = temperature;
  const auto terms = loss::projnce_terms(batch_of(rows), options);
  return 1 + log_of(rows.labels.size(0)) - terms.self_p.item<double>() -
         terms.ratio.mean().item<double>();
}

LeaveRowOutValue leave_row_out_value(const information::LabeledRows& rows, double temperature) {
  const auto terms = loss::projnce_terms(
      batch_of(rows), {.temperature = temperature, .empty_positives = loss::EmptyPositives::kSkip});
  const double ratio = terms.ratio.mean().item<double>();
  return {1 + log_of(rows.labels.size(0) - 1) - terms.self_p.item<double>() - ratio, ratio};
}

double log_rows_minus_class_loss(const information::LabeledRows& rows,
                                 const torch::Tensor& class_vectors, double temperature) {
  const auto value = loss::projnce_mlp(batch_of(rows), class_vectors,
                                       {.temperature = temperature, .normalize_g = false});
  return log_of(rows.labels.size(0)) - value.loss.item<double>();
}

}  // namespace projnce::theory
