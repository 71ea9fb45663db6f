#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace projnce::report {

/// Returns the present name of a protocol in files of older versions.
inline std::string present_protocol(std::string name) {
  return name == "zero-shot" ? "nearest-centroid" : name;
}

/// Returns the present name of an event in files of older versions.
inline std::string present_event(std::string name) {
  return name == "passed_over" ? "skipped_step" : name;
}

/// Returns the present name of a loss in files of older versions.
inline std::string present_loss(std::string name) {
  return name == "selfp" ? "generalized-infonce" : name;
}

/// Renames the key `former` of `object`, if it has it, and keeps the order of the keys.
inline void rename_key(nlohmann::ordered_json& object, const std::string& former,
                       const std::string& present) {
  if (!object.is_object() || !object.contains(former) || object.contains(present)) return;
  auto renamed = nlohmann::ordered_json::object();
  for (auto& [key, value] : object.items()) {
    renamed[key == former ? present : key] = std::move(value);
  }
  object = std::move(renamed);
}

/// Replaces names in a summary.json of an older version by the present ones.
inline void use_present_summary_names(nlohmann::ordered_json& summary) {
  const auto rename_value = [](nlohmann::ordered_json& object, const char* key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return;
    object[key] = present_protocol(object[key].get<std::string>());
  };
  rename_value(summary, "protocol");
  if (summary.contains("loss") && summary["loss"].is_string()) {
    summary["loss"] = present_loss(summary["loss"].get<std::string>());
  }
  if (summary.contains("delivered")) rename_value(summary["delivered"], "readout");
  if (summary.contains("protocols")) {
    rename_key(summary["protocols"], "zero-shot", "nearest-centroid");
  }
}

/// Same for the result of an audit in samples.safetensors.
inline void use_present_audit_names(nlohmann::ordered_json& audit) {
  rename_key(audit, "parts", "splits");
  for (const auto* list : {"splits", "worst"}) {
    if (!audit.contains(list) || !audit[list].is_array()) continue;
    for (auto& entry : audit[list]) rename_key(entry, "part", "split");
  }
}

}  // namespace projnce::report
