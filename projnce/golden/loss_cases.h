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

/// Evaluates a file of loss cases, {"format": 1, "loss": KIND, "cases": [{id, params, inputs}]},
/// and returns {"cases": [{id, fields of that kind}]}: values, gradients, bounds. A malformed file
/// throws a sentence that names the case and the field.
nlohmann::json evaluate_loss_cases(const nlohmann::json& file, torch::Dtype dtype);

/// The kinds that there are.
std::vector<std::string> loss_case_kinds();

/// How far one field of one case is from what the file expects.
struct FieldError {
  std::string id;
  std::string field;
  double error = 0;    ///< largest absolute difference; infinite where shapes differ
  double allowed = 0;  ///< abs + rel * largest expected value
  bool passed() const { return error <= allowed; }
};

/// Compares results with the `expected` fields of the file under its tolerances for `dtype`. Cases
/// marked f64_only are left out in float32; expected values of null are not compared.
std::vector<FieldError> check_loss_cases(const nlohmann::json& file, const nlohmann::json& results,
                                         torch::Dtype dtype);

/// Computes the fields of one case.
using EvaluateLossCase = nlohmann::json (*)(const LossCase&);

/// Throws, with the list of kinds, where there is none of that name.
EvaluateLossCase find_loss_case_kind(const std::string& kind);

// One for each kind of file; the table is in loss_case_kinds.cpp.
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

/// More classes than this in a case are taken for a slip.
inline constexpr int64_t kMostClasses = 1'000'000;

/// Names of fields with the inputs whose gradients they hold.
using GradientFields = std::vector<std::pair<std::string, torch::Tensor>>;

/// Adds the loss and its gradients; zero where the loss does not depend on an input.
nlohmann::json with_loss(nlohmann::json fields, const torch::Tensor& loss,
                         const GradientFields& gradients);

}  // namespace projnce::golden
