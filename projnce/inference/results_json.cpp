#include "projnce/inference/results_json.h"

#include <cmath>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/eval/accuracy.h"

namespace projnce::inference {

namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(double value) {
  return std::isnan(value) ? ordered_json() : ordered_json(value);
}

ordered_json interval_json(const eval::Interval& interval) {
  return {interval.low, interval.high};
}

void add_bound(ordered_json& json, const std::string& name,
               const std::optional<eval::BoundEstimate>& bound) {
  if (!bound) return;
  json[name] = bound->value;
  json[name + "_se"] = bound->se ? ordered_json(*bound->se) : ordered_json();
}

ordered_json score_to_json(const eval::AuditScore& score) {
  return {{"wrong", score.wrong},
          {"precision", number_or_null(score.precision)},
          {"recall", number_or_null(score.recall)},
          {"average_precision", number_or_null(score.average_precision)},
          {"worst", score.worst},
          {"worst_wrong", score.worst_wrong},
          {"corrected", number_or_null(score.corrected)}};
}

/// See AuditSkill.
ordered_json skill_to_json(const eval::AuditSkill& skill) {
  return {{"informative", skill.informative},         {"held_out_accuracy", skill.accuracy},
          {"chance_accuracy", skill.chance_accuracy}, {"too_few_samples", skill.too_few_samples},
          {"information", skill.information},         {"label_entropy", skill.label_entropy}};
}

ordered_json class_json(const PredictedClass& candidate) {
  return {{"class", candidate.name},
          {"probability", number_or_null(candidate.probability)},
          {"score", candidate.score}};
}

}  // namespace

ordered_json brief_json(const ProtocolResult& result) {
  ordered_json json = {{"top1", result.accuracy.top1},
                       {"top1_interval", interval_json(result.interval)},
                       {"top5", result.accuracy.top5}};
  if (result.calibration_error) json["calibration_error"] = *result.calibration_error;
  return json;
}

ordered_json full_json(const ProtocolResult& result, const std::vector<std::string>& names) {
  const auto& accuracy = result.accuracy;
  auto json = brief_json(result);
  json["classes"] = ordered_json::array();
  for (size_t c = 0; c < names.size(); ++c) {
    const int64_t total = accuracy.class_samples(c);
    const auto interval = eval::clopper_pearson_interval(accuracy.confusion[c][c], total);
    const auto null_if_empty = [&](const ordered_json& value) {
      return total > 0 ? value : ordered_json();
    };
    json["classes"].push_back({{"name", names[c]},
                               {"samples", total},
                               {"top1", null_if_empty(accuracy.per_class[c])},
                               {"top1_interval", null_if_empty(interval_json(interval))},
                               {"taken_for", most_confused_class(accuracy, c, names)}});
  }
  json["confusion"] = accuracy.confusion;
  return json;
}

ordered_json retrieval_json(const RetrievalReport& report) {
  const auto& found = report.retrieval;
  ordered_json result = {{"queries", found.queries}};
  if (!report.reason.empty()) {
    result["reason"] = report.reason;
    return result;
  }
  for (size_t k = 0; k < found.ranks.size(); ++k) {
    result[concat("recall_at_", found.ranks[k])] = found.recall[k];
  }
  result["r_precision"] = found.r_precision;
  result["map_at_r"] = found.map_at_r;
  result["nmi"] = report.nmi;
  return result;
}

ordered_json bounds_json(const eval::InformationBounds& bounds) {
  ordered_json json = ordered_json::object();
  add_bound(json, "mi_bound_class_fitted", bounds.by_class_fitted);
  if (bounds.by_class_fitted) json["tau_fit"] = bounds.fitted_temperature;
  add_bound(json, "mi_bound_class", bounds.by_class);
  add_bound(json, "mi_bound_normalized", bounds.pair_normalized);
  add_bound(json, "mi_bound", bounds.pair);
  json["temperature"] = bounds.temperature;
  json["rows"] = bounds.rows;
  json["entropy"] = bounds.entropy;
  return json;
}

ordered_json information_json(const InformationReport& report) {
  ordered_json json = {{"samples", report.samples},
                       {"dimensions", report.dimensions},
                       {"classes", report.classes},
                       {"label_entropy", report.label_entropy},
                       {"bounds", bounds_json(report.bounds)},
                       {"mixed_ksg", nullptr},
                       {"interval", nullptr},
                       {"share", nullptr},
                       {"withheld", nullptr},
                       {"k", report.neighbors},
                       {"label_scale", report.label_scale}};
  if (!report.withheld.empty()) json["withheld"] = report.withheld;
  if (!report.ksg) return json;
  json["mixed_ksg"] = report.ksg->value;
  json["share"] = report.ksg->value / report.label_entropy;
  if (const auto& interval = report.ksg->interval) {
    json["interval"] = ordered_json::array({interval->low, interval->high});
  }
  return json;
}

ordered_json audit_json(const AuditReport& report) {
  ordered_json json{{"samples", report.samples},
                    {"classes", report.classes},
                    {"splits", ordered_json::array()},
                    {"skill", skill_to_json(report.skill)},
                    {"flagged", report.flagged},
                    {"expected_precision", number_or_null(report.expected_precision)},
                    {"noise_rate", number_or_null(report.noise_rate)},
                    {"mistakes", ordered_json::array()},
                    {"worst", ordered_json::array()}};
  for (const auto& split : report.splits) {
    json["splits"].push_back(
        {{"split", split.name}, {"samples", split.samples}, {"audited", split.audited}});
  }
  for (const auto& mistake : report.mistakes) {
    json["mistakes"].push_back(
        {{"class", mistake.class_name}, {"labeled", mistake.labeled}, {"share", mistake.share}});
  }
  for (const auto& issue : report.worst) {
    json["worst"].push_back({{"split", issue.split},
                             {"index", issue.index},
                             {"sample", issue.sample},
                             {"given", issue.given},
                             {"suggested", issue.suggested},
                             {"score", issue.score}});
    if (!issue.text.empty()) json["worst"].back()["text"] = issue.text;
  }
  if (report.check) json["check"] = score_to_json(*report.check);
  json["noise_matrix"] = report.noise_matrix;
  json["seconds"] = report.seconds;
  return json;
}

ordered_json predictions_json(const Predictions& predictions) {
  auto rows = ordered_json::array();
  for (const auto& prediction : predictions.rows) {
    ordered_json row{{"file", prediction.file}};
    if (!prediction.problem.empty()) {
      row["error"] = prediction.problem;
    } else {
      row.update(class_json(prediction.classes.front()));
    }
    if (prediction.classes.size() > 1) {
      row["top"] = ordered_json::array();
      for (const auto& candidate : prediction.classes) row["top"].push_back(class_json(candidate));
    }
    rows.push_back(std::move(row));
  }
  return {{"readout", predictions.readout},
          {"epoch", predictions.epoch},
          {"calibrated", predictions.calibrated},
          {"predictions", rows}};
}

}  // namespace projnce::inference
