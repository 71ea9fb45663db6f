#include "projnce/loss/projnce_perp.h"

namespace projnce {

namespace {

constexpr auto kPerpName = "projnce-perp";

void check_options(const ProjncePerpOptions& options) {
  check_positive(options.temperature, kPerpName, "temperature");
  check_options(options.perp.nw);
}

}  // namespace

LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options) {
  check_options(options);
  const auto rows = contrast_rows(batch, GroupBy::kClass, kPerpName);
  return class_contrast(rows, project_perp(rows.candidates, options.perp),
                        {.temperature = options.temperature,
                         .denominator = options.denominator,
                         .normalize_g = options.normalize_g,
                         .detach_g = options.detach_g});
}

ProjncePerpLoss::ProjncePerpLoss(const ProjncePerpOptions& options) : options_(options) {
  check_options(options);
}

LossValue ProjncePerpLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_perp(batch, options_);
}

}  // namespace projnce
