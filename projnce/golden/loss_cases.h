#pragma once

#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "projnce/golden/loss_case.h"
#include "projnce/loss/loss.h"

namespace projnce::golden {

/// Evaluates a file of loss cases, {"format": 1, "loss": KIND, "cases": [{id, params, inputs}]}.
/// Returns {"cases": [{id, fields of that kind}]}: values, gradients, bounds. Throws an error that
/// names the case and the field if the file is malformed.
nlohmann::json evaluate_loss_cases(const nlohmann::json& file, torch::Dtype dtype);

/// Names of all kinds.
std::vector<std::string> loss_case_kinds();

/// Error of one field of one case.
struct FieldError {
  std::string id;
  std::string field;
  double error = 0;    ///< largest absolute difference; infinite if shapes differ
  double allowed = 0;  ///< abs + rel * largest expected value
  bool passed() const { return error <= allowed; }
};

/// Compares results with the `expected` fields of the file, with its tolerances for `dtype`. Skips
/// cases marked f64_only in float32, and expected fields that are null.
std::vector<FieldError> check_loss_cases(const nlohmann::json& file, const nlohmann::json& results,
                                         torch::Dtype dtype);

/// Computes the fields of one case.
using EvaluateLossCase = nlohmann::json (*)(const LossCase&);

/// Throws an error with the list of kinds if `kind` is unknown.
EvaluateLossCase find_loss_case_kind(const std::string& kind);

// One function per kind; the table is in loss_cases.cpp.
nlohmann::json evaluate_augment_case(const LossCase& loss_case);
nlohmann::json evaluate_bounds_case(const LossCase& loss_case);
nlohmann::json evaluate_ce_case(const LossCase& loss_case);
nlohmann::json evaluate_infonce_case(const LossCase& loss_case);
nlohmann::json evaluate_joint_case(const LossCase& loss_case);
nlohmann::json evaluate_label_noise_case(const LossCase& loss_case);
nlohmann::json evaluate_mixed_ksg_case(const LossCase& loss_case);
nlohmann::json evaluate_nearest_centroid_case(const LossCase& loss_case);
nlohmann::json evaluate_ntxent_case(const LossCase& loss_case);
nlohmann::json evaluate_projnce_case(const LossCase& loss_case);
nlohmann::json evaluate_projnce_med_case(const LossCase& loss_case);
nlohmann::json evaluate_projnce_mlp_case(const LossCase& loss_case);
nlohmann::json evaluate_projnce_perp_case(const LossCase& loss_case);
nlohmann::json evaluate_rince_case(const LossCase& loss_case);
nlohmann::json evaluate_sce_case(const LossCase& loss_case);
nlohmann::json evaluate_generalized_infonce_case(const LossCase& loss_case);
nlohmann::json evaluate_supcon_case(const LossCase& loss_case);
nlohmann::json evaluate_symnce_case(const LossCase& loss_case);

/// Limit on the number of classes in a case; larger values are likely typos.
inline constexpr int64_t kMaxClasses = 1'000'000;

/// Field names and the inputs whose gradients they contain.
using GradientFields = std::vector<std::pair<std::string, torch::Tensor>>;

/// Adds the loss and its gradients to `fields`; zeros for inputs that the loss does not depend on.
nlohmann::json with_loss(nlohmann::json fields, const torch::Tensor& loss,
                         const GradientFields& gradients);

}  // namespace projnce::golden
