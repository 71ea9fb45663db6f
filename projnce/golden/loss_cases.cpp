// Evaluation of loss cases, and the kinds that are not losses: augmentation, label noise, nearest
// centroid.
#include "projnce/golden/loss_cases.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "projnce/augment/pixel_ops.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/eval/accuracy.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/golden/loss_case.h"
#include "projnce/projection/class_groups.h"

namespace projnce::golden {

namespace {

using nlohmann::json;

constexpr auto kInfinity = std::numeric_limits<double>::infinity();

const json& cases_of(const json& file) {
  if (!file.is_object()) fail("a file of loss cases must contain a JSON object");
  if (!file.contains("format") || file["format"] != 1) {
    fail("format is missing or unknown, expected 1");
  }
  if (!file.contains("loss") || !file["loss"].is_string())
    fail("loss is missing, expected the kind of the cases");
  if (!file.contains("cases") || !file["cases"].is_array())
    fail("cases is missing, expected an array");
  return file["cases"];
}

/// Evaluates a case; prefixes errors with the id of the case.
json evaluate_case(EvaluateLossCase evaluate, const LossCase& loss_case) {
  const auto prefix = concat("case ", loss_case.id(), ": ");
  try {
    auto fields = evaluate(loss_case);
    json result = {{"id", loss_case.id()}};
    result.update(fields);
    return result;
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.rfind("case ", 0) == 0) throw;
    throw Error(prefix + message, error.hint(), error.kind());
  } catch (const c10::Error& error) {
    fail(prefix, error.what_without_backtrace());
  }
}

double max_abs(const json& value) {
  if (value.is_number()) return std::abs(value.get<double>());
  double result = 0;
  if (value.is_array()) {
    for (const auto& entry : value) result = std::max(result, max_abs(entry));
  }
  return result;
}

/// Largest absolute difference; null in `expected` stands for a non-finite number.
double max_abs_difference(const json& actual, const json& expected) {
  if (expected.is_array()) {
    if (!actual.is_array() || actual.size() != expected.size()) return kInfinity;
    double result = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      result = std::max(result, max_abs_difference(actual[i], expected[i]));
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

/// Compares one case; `id` is used in error messages.
std::vector<FieldError> check_case(const json& loss_case, const json& result, const std::string& id,
                                   torch::Dtype dtype) {
  std::vector<FieldError> errors;
  if (dtype == torch::kFloat32 && loss_case.value("f64_only", false)) return errors;
  const auto tolerance = tolerance_of(loss_case, dtype);
  for (const auto& [field, expected] : loss_case["expected"].items()) {
    if (expected.is_null()) continue;
    const bool computed = result.contains(field);
    errors.push_back({.id = id,
                      .field = field,
                      .error = computed ? max_abs_difference(result[field], expected) : kInfinity,
                      .allowed = tolerance.absolute + tolerance.relative * max_abs(expected)});
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
      fail("case ", id, ": expected is missing, expected an object");
    }
    try {
      const auto more = check_case(cases[i], result, id, dtype);
      errors.insert(errors.end(), more.begin(), more.end());
    } catch (const json::exception& error) {
      fail("case ", id, ": expected, tol or f64_only has the wrong type: ", error.what());
    }
  }
  return errors;
}

namespace {

struct Kind {
  std::string_view name;
  EvaluateLossCase evaluate;
};

constexpr std::array kKinds = {
    // alphabetical
    Kind{"augment_ops", evaluate_augment_case},
    Kind{"bounds", evaluate_bounds_case},
    Kind{"ce", evaluate_ce_case},
    Kind{"infonce_paired", evaluate_infonce_case},
    Kind{"joint", evaluate_joint_case},
    Kind{"label_noise", evaluate_label_noise_case},
    Kind{"mixed_ksg", evaluate_mixed_ksg_case},
    Kind{"nearest_centroid", evaluate_nearest_centroid_case},
    Kind{"ntxent", evaluate_ntxent_case},
    Kind{"projnce", evaluate_projnce_case},
    Kind{"projnce_med", evaluate_projnce_med_case},
    Kind{"projnce_mlp", evaluate_projnce_mlp_case},
    Kind{"projnce_perp", evaluate_projnce_perp_case},
    Kind{"rince", evaluate_rince_case},
    Kind{"sce", evaluate_sce_case},
    Kind{"selfp_generic", evaluate_generalized_infonce_case},
    Kind{"supcon", evaluate_supcon_case},
    Kind{"symnce", evaluate_symnce_case},
};

}  // namespace

EvaluateLossCase find_loss_case_kind(const std::string& kind) {
  for (const auto& entry : kKinds) {
    if (entry.name == kind) return entry.evaluate;
  }
  fail_unknown("kind of loss case", kind, loss_case_kinds());
}

std::vector<std::string> loss_case_kinds() {
  std::vector<std::string> names;
  for (const auto& entry : kKinds) names.emplace_back(entry.name);
  return names;
}

nlohmann::json with_loss(nlohmann::json fields, const torch::Tensor& loss,
                         const GradientFields& gradients) {
  fields["loss"] = to_json(loss.detach());
  if (loss.requires_grad()) loss.backward();
  for (const auto& [name, input] : gradients) {
    fields[name] = to_json(input.grad().defined() ? input.grad() : torch::zeros_like(input));
  }
  return fields;
}

namespace {

using nlohmann::json;

augment::FloatImage to_image(const torch::Tensor& planes) {
  augment::FloatImage image;
  image.reshape(static_cast<int>(planes.size(0)), static_cast<int>(planes.size(1)),
                static_cast<int>(planes.size(2)));
  const auto values = planes.to(torch::kFloat).contiguous();
  std::copy_n(values.data_ptr<float>(), values.numel(), image.plane(0));
  return image;
}

}  // namespace

json evaluate_augment_case(const LossCase& loss_case) {
  const auto params = loss_case.params();
  std::string op;
  double factor = 0;
  TableReader reader(params, "params");
  reader.field("op", op).field("factor", factor);
  reader.done();
  const auto planes = loss_case.planes("image_chw");
  if (planes.size(0) != 1 && planes.size(0) != 3) {
    fail("inputs.image_chw has ", counted(planes.size(0), "channel"), ", expected 1 or 3");
  }
  auto image = to_image(planes);
  augment::apply_pixel_op(op, factor, image);
  return {
      {"image_chw", to_json(torch::from_blob(image.plane(0), planes.sizes()).to(torch::kDouble))}};
}

json evaluate_label_noise_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto classes = take_integer(params, "num_classes", 1, kMaxClasses);
  const auto seed = take_integer(params, "seed", 0, std::numeric_limits<int64_t>::max());
  dataset::LabelNoiseOptions options{.seed = static_cast<uint64_t>(seed)};
  TableReader reader(params, "params");
  reader.field("p", options.rate, between(0, 1))
      .choice("mode", options.mode, dataset::label_noise_modes());
  reader.done();
  const auto labels = loss_case.integers("labels");
  projection::check_labels(labels, classes, "inputs.labels");
  const auto* first = labels.data_ptr<int64_t>();
  return {{"labels", dataset::add_label_noise({first, first + labels.numel()}, classes, options)}};
}

json evaluate_nearest_centroid_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto classes = take_integer(params, "num_classes", 1, kMaxClasses);
  bool normalize = true;
  TableReader reader(params, "params");
  reader.field("normalize_train", normalize);
  reader.done();
  const auto train = loss_case.matrix("z_train");
  const auto test = loss_case.matrix("z_test");
  const auto train_labels = loss_case.integers("y_train", train);
  const auto test_labels = loss_case.integers("y_test", test);
  projection::check_labels(train_labels, classes, "inputs.y_train");
  projection::check_labels(test_labels, classes, "inputs.y_test");
  if (train.size(1) != test.size(1)) {
    fail("inputs.z_test has ", counted(test.size(1), "column"), ", expected ", train.size(1));
  }
  const auto centroids = eval::class_centroids(train, train_labels, classes, normalize);
  const auto scores = eval::cosine_scores(test, centroids);
  return {{"centroids", to_json(centroids.nan_to_num())},
          {"scores", to_json(scores)},
          {"pred", to_json(eval::predict_class(scores))},
          {"accuracy", eval::measure_accuracy(scores, test_labels).top1}};
}

}  // namespace projnce::golden
