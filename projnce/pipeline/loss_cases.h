#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace projnce {

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

}  // namespace projnce
