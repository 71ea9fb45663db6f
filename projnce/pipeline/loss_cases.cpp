#include "projnce/pipeline/loss_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/pipeline/loss_case.h"
#include "projnce/pipeline/loss_case_kinds.h"

namespace projnce {

namespace {

using nlohmann::json;

constexpr auto kInfinity = std::numeric_limits<double>::infinity();

const json& cases_of(const json& file) {
  if (!file.is_object()) fail("a file of loss cases must hold an object");
  if (!file.contains("format") || file["format"] != 1) {
    fail("format must be 1, the only one there is");
  }
  if (!file.contains("loss") || !file["loss"].is_string())
    fail("loss, the kind of the cases, is missing");
  if (!file.contains("cases") || !file["cases"].is_array()) fail("cases, an array, is missing");
  return file["cases"];
}

/// What `evaluate` throws, with the case in front, once.
json evaluate_case(EvaluateLossCase evaluate, const LossCase& loss_case) {
  const auto prefix = concat("case ", loss_case.id(), ": ");
  try {
    auto fields = evaluate(loss_case);
    json result = {{"id", loss_case.id()}};
    result.update(fields);
    return result;
  } catch (const Error& error) {
    const std::string sentence = error.what();
    if (sentence.rfind("case ", 0) == 0) throw;
    throw Error(prefix + sentence, error.hint(), error.fault());
  } catch (const c10::Error& error) {
    fail(prefix, error.what_without_backtrace());
  }
}

double largest(const json& value) {
  if (value.is_number()) return std::abs(value.get<double>());
  double result = 0;
  if (value.is_array()) {
    for (const auto& entry : value) result = std::max(result, largest(entry));
  }
  return result;
}

/// Largest difference; null in `expected` stands for a number that is not finite.
double distance(const json& actual, const json& expected) {
  if (expected.is_array()) {
    if (!actual.is_array() || actual.size() != expected.size()) return kInfinity;
    double result = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      result = std::max(result, distance(actual[i], expected[i]));
    }
    return result;
  }
  if (!actual.is_number()) return kInfinity;
  const auto value = actual.get<double>();
  if (expected.is_null()) return std::isfinite(value) ? kInfinity : 0;
  const auto error = std::abs(value - expected.get<double>());
  return std::isnan(error) ? kInfinity : error;
}

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

Tolerance tolerance_of(const json& loss_case, torch::Dtype dtype) {
  const auto tol = loss_case.value("tol", json::object());
  const auto exact = Tolerance{.relative = tol.value("f64_rel", 0.0),
                               .absolute = tol.value("f64_abs", tol.value("abs", 0.0))};
  if (dtype == torch::kFloat64) return exact;
  return {.relative = tol.value("f32_rel", exact.relative),
          .absolute = tol.value("f32_abs", exact.absolute)};
}

/// Compares one case; `id` is for the sentences.
std::vector<FieldError> check_case(const json& loss_case, const json& result, const std::string& id,
                                   torch::Dtype dtype) {
  std::vector<FieldError> errors;
  if (dtype == torch::kFloat32 && loss_case.value("f64_only", false)) return errors;
  const auto tolerance = tolerance_of(loss_case, dtype);
  for (const auto& [field, expected] : loss_case["expected"].items()) {
    if (expected.is_null()) continue;
    const bool known = result.contains(field);
    errors.push_back({.id = id,
                      .field = field,
                      .error = known ? distance(result[field], expected) : kInfinity,
                      .allowed = tolerance.absolute + tolerance.relative * largest(expected)});
  }
  return errors;
}

}  // namespace

json evaluate_loss_cases(const json& file, torch::Dtype dtype) {
  const auto& cases = cases_of(file);
  const auto evaluate = find_loss_case_kind(file["loss"]);
  auto results = json::array();
  for (size_t i = 0; i < cases.size(); ++i) {
    results.push_back(evaluate_case(evaluate, LossCase(cases[i], i, dtype)));
  }
  return {{"cases", std::move(results)}};
}

std::vector<FieldError> check_loss_cases(const json& file, const json& results,
                                         torch::Dtype dtype) {
  const auto& cases = cases_of(file);
  std::vector<FieldError> errors;
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& result = results.at("cases").at(i);
    const std::string id = result.at("id");
    if (!cases[i].contains("expected") || !cases[i]["expected"].is_object()) {
      fail("case ", id, ": expected, an object to compare with, is missing");
    }
    try {
      const auto more = check_case(cases[i], result, id, dtype);
      errors.insert(errors.end(), more.begin(), more.end());
    } catch (const json::exception& error) {
      fail("case ", id, ": expected, tol or f64_only is of the wrong type: ", error.what());
    }
  }
  return errors;
}

}  // namespace projnce
