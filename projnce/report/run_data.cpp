#include "projnce/report/run_data.h"

#include <fstream>
#include <map>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/io/file_lock.h"
#include "projnce/io/printable.h"
#include "projnce/report/config_text.h"
#include "projnce/report/metric_curves.h"
#include "projnce/report/packed_samples.h"
#include "projnce/report/report_samples.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

void flatten(const Table& table, const std::string& prefix,
             std::map<std::string, std::string>& flat) {
  for (const auto& [key, value] : table.values) {
    flat[prefix + key] = to_toml(value);
  }
  for (const auto& [key, section] : table.tables) flatten(section, prefix + key + ".", flat);
}

/// The settings by their full names ("train.epochs"), as TOML writes the values.
std::map<std::string, std::string> flat_settings(const Table& table) {
  std::map<std::string, std::string> flat;
  flatten(table, "", flat);
  return flat;
}

ordered_json tell_settings(const Table& config, const Table& standard) {
  const auto defaults = flat_settings(standard);
  auto told = ordered_json::array();
  for (const auto& [key, value] : flat_settings(config)) {
    const auto found = defaults.find(key);
    told.push_back(
        {{"key", key},
         {"value", value},
         {"standard", found == defaults.end() ? ordered_json() : ordered_json(found->second)}});
  }
  return told;
}

ordered_json read_summary(const RunPaths& run) {
  std::ifstream file(run.summary());
  if (!file) return nullptr;
  auto summary = ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  return summary.is_object() ? summary : ordered_json();
}

/// Of a process on another machine nothing is known: its run counts as running.
const char* state_of(const RunPaths& run, const ordered_json& summary) {
  if (!summary.is_null()) return "finished";
  return lock_owner_lives(run.lock()).value_or(true) ? "running" : "stopped";
}

ordered_json read_commands(const RunPaths& run) {
  std::ifstream file(run.commands());
  auto commands = ordered_json::array();
  for (std::string line; std::getline(file, line);) commands.push_back(printable(line));
  return commands;
}

std::string kind_of(const Table& config) {
  const auto kind = config_text(config, "input", "kind");
  return kind == "sound" || kind == "vector" ? kind : "image";
}

ordered_json tell_audit_of(const ReportSamples& samples, bool pictures) {
  if (samples.audit.is_null()) return nullptr;
  auto audit = samples.audit;
  if (!audit.contains("check")) audit["check"] = nullptr;
  audit["pictures"] = pictures ? pack_pictures(samples.worst) : ordered_json();
  audit["sounds"] = pictures ? pack_sounds(samples.sounds) : ordered_json();
  return audit;
}

void add_samples(const ReportSamples& samples, const RunDataOptions& options, ordered_json& data) {
  data["classes"] = samples.class_names;
  data["missing"] = samples.notes;
  const auto pack = [&](const std::optional<MappedSamples>& part) {
    return part ? pack_samples(*part, options.most_points, options.pictures) : ordered_json();
  };
  data["test"] = pack(samples.test);
  data["train"] = pack(samples.train);
  data["confusion"] = pack_confusion(samples);
  data["audit"] = tell_audit_of(samples, options.pictures);
  if (data["confusion"].is_null()) {
    data["missing"].push_back(concat("The confusion matrix of ", samples.class_names.size(),
                                     " classes is left out; there is one for up to ",
                                     kMostConfusedClasses, "."));
  }
}

}  // namespace

ordered_json run_data(const RunPaths& run, const RunDataOptions& options) {
  const auto config = read_toml(run.config());
  const auto summary = read_summary(run);
  const auto path = run.root.lexically_normal();
  const auto name = (path / "").parent_path().filename().string();
  ordered_json data{{"name", printable(name)},
                    {"path", printable(path.string())},
                    {"state", state_of(run, summary)},
                    {"commands", read_commands(run)},
                    {"kind", kind_of(config)},
                    {"classes", ordered_json::array()},
                    {"summary", summary},
                    {"curves", metric_curves(run.metrics())},
                    {"config", tell_settings(config, options.standard)},
                    {"test", nullptr},
                    {"train", nullptr},
                    {"confusion", nullptr},
                    {"audit", nullptr},
                    {"missing", ordered_json::array()}};
  if (summary.is_null()) return data;
  try {
    add_samples(read_report_samples(run.samples()), options, data);
  } catch (const Error& error) {
    data["missing"].push_back(concat("Map, confusion matrix and audit: ", error.what(), "."));
  }
  return data;
}

}  // namespace projnce
