#include "projnce/loss/projnce_med.h"

namespace projnce {

namespace {

constexpr auto kMedName = "projnce-med";

}  // namespace

LossValue projnce_med(const ContrastiveBatch& batch, const ProjnceMedOptions& options) {
  check_positive(options.temperature, kMedName, "temperature");
  const auto rows = contrast_rows(batch, GroupBy::kClass, kMedName);
  return class_contrast(rows, project_medians(rows.candidates, {.median = options.median}),
                        {.temperature = options.temperature,
                         .denominator = options.denominator,
                         .normalize_g = options.normalize_g,
                         .detach_g = options.detach_g});
}

ProjnceMedLoss::ProjnceMedLoss(const ProjnceMedOptions& options) : options_(options) {
  check_positive(options.temperature, kMedName, "temperature");
}

LossValue ProjnceMedLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_med(batch, options_);
}

}  // namespace projnce
