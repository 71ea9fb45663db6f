#include "projnce/report/page/run_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/table.h"
#include "projnce/core/toml.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/report/page/former_names.h"
#include "projnce/report/page/report_samples.h"

namespace projnce::report {

namespace {

using nlohmann::ordered_json;

/// Limit on the columns of a table, and on tables; `train` writes fewer than twenty.
constexpr size_t kMostMetricTables = 64;

/// A validated line of metrics.jsonl.
struct MetricLine {
  int64_t step = 0;
  int64_t epoch = 0;
  std::string split;
  std::string name;
  ordered_json value;
};

/// Returns whether `text` is a valid line. Does not throw: a file may have millions of others.
bool parse_line(std::string_view text, MetricLine& line) {
  const auto json = try_parse_json(text);
  if (!json.is_object()) return false;
  for (const auto* key : {"step", "epoch", "split", "name", "value"}) {
    if (!json.contains(key)) return false;
  }
  if (!is_json_count(json["step"]) || !is_json_count(json["epoch"]) || !json["split"].is_string() ||
      !json["name"].is_string() || !json["value"].is_object()) {
    return false;
  }
  line = {.step = json["step"],
          .epoch = json["epoch"],
          .split = json["split"],
          .name = json["name"],
          .value = json["value"]};
  return true;
}

std::vector<MetricLine> read_lines(const std::filesystem::path& metrics) {
  const auto text = io::read_optional_text(metrics, io::kMostMetricsBytes);
  std::vector<MetricLine> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    MetricLine line;
    if (parse_line(std::string_view(text).substr(start, end - start), line)) {
      lines.push_back(std::move(line));
    }
    start = end + 1;
  }
  return lines;
}

/// Columns of equal length; missing numbers are null. Further columns are omitted: with a column
/// for each row, the size of a table would be quadratic in that of the file.
class ColumnTable {
 public:
  void start_row() { ++rows_; }
  void set(const std::string& name, const ordered_json& number) {
    if (columns_.size() == kMostMetricTables && !columns_.contains(name)) return;
    auto& column = columns_[name];
    if (column.is_null()) column = ordered_json::array();
    while (column.size() + 1 < rows_) column.push_back(nullptr);
    const bool finite = number.is_number() && std::isfinite(number.get<double>());
    column.push_back(finite ? number : ordered_json());
  }
  ordered_json finish() {
    for (auto& [name, column] : columns_.items()) {
      while (column.size() < rows_) column.push_back(nullptr);
    }
    return std::exchange(columns_, ordered_json::object());
  }

 private:
  ordered_json columns_ = ordered_json::object();
  size_t rows_ = 0;
};

void add_row(ColumnTable& table, const MetricLine& line, double epoch) {
  table.start_row();
  table.set("step", line.step);
  table.set("epoch", epoch);
  for (const auto& [name, number] : line.value.items()) {
    if (name == "step" || name == "epoch") continue;
    if (name == "top1_interval" && number.is_array() && number.size() == 2) {
      table.set("low", number[0]);
      table.set("high", number[1]);
    } else {
      table.set(name, number);
    }
  }
}

/// Estimates the steps per epoch from the last complete epoch.
double steps_per_epoch(const std::vector<MetricLine>& lines) {
  double steps = 0;
  double most = 0;
  for (const auto& line : lines) {
    if (line.split == "train" && line.name == "epoch") {
      steps = double(line.step) / double(line.epoch + 1);
    }
    most = std::max(most, double(line.step) + 1);
  }
  return steps > 0 ? steps : most;
}

ordered_json curves_of(const std::vector<MetricLine>& lines) {
  const double steps_in_epoch = steps_per_epoch(lines);
  ColumnTable steps;
  ColumnTable epochs;
  std::map<std::string, ColumnTable> tests;
  auto events = ordered_json::array();
  for (const auto& line : lines) {
    const double place = double(line.step) / std::max(steps_in_epoch, 1.0);
    if (line.split == "test") {
      const auto protocol = present_protocol(line.name);
      if (tests.size() == kMostMetricTables && !tests.contains(protocol)) continue;
      add_row(tests[protocol], line, double(line.epoch + 1));
    } else if (line.name == "step") {
      add_row(steps, line, place);
    } else if (line.name == "epoch") {
      add_row(epochs, line, double(line.epoch + 1));
    } else if (line.name == "spike" || present_event(line.name) == "skipped_step") {
      events.push_back({{"step", line.step},
                        {"epoch", place},
                        {"name", present_event(line.name)},
                        {"loss", line.value.value("loss", ordered_json())}});
    }
  }
  auto by_protocol = ordered_json::object();
  for (auto& [name, table] : tests) by_protocol[name] = table.finish();
  return {{"steps", steps.finish()},
          {"epochs", epochs.finish()},
          {"tests", by_protocol},
          {"events", events}};
}

}  // namespace

ordered_json metric_curves(const std::filesystem::path& metrics) {
  return curves_of(read_lines(metrics));
}

namespace {

using nlohmann::ordered_json;

void flatten(const Table& table, const std::string& prefix,
             std::map<std::string, std::string>& flat) {
  for (const auto& [key, value] : table.values) {
    flat[prefix + key] = to_toml(value);
  }
  for (const auto& [key, section] : table.tables) flatten(section, prefix + key + ".", flat);
}

/// Returns the settings by full key ("train.epochs"), with values in TOML syntax.
std::map<std::string, std::string> flat_settings(const Table& table) {
  std::map<std::string, std::string> flat;
  flatten(table, "", flat);
  return flat;
}

ordered_json settings_to_json(const Table& config, const Table& standard) {
  const auto defaults = flat_settings(standard);
  auto json = ordered_json::array();
  for (const auto& [key, value] : flat_settings(config)) {
    const auto found = defaults.find(key);
    json.push_back(
        {{"key", key},
         {"value", value},
         {"standard", found == defaults.end() ? ordered_json() : ordered_json(found->second)}});
  }
  return json;
}

ordered_json read_summary(const io::RunPaths& run) {
  auto summary = try_parse_json(io::read_optional_text(run.summary(), io::kMostSummaryBytes));
  if (!summary.is_object()) return nullptr;
  use_present_summary_names(summary);
  return summary;
}

/// Returns the state of a run. A run locked by another host counts as running.
const char* state_of(const io::RunPaths& run, const ordered_json& summary) {
  if (!summary.is_null()) return "finished";
  return io::is_lock_owner_alive(run.lock()).value_or(true) ? "running" : "stopped";
}

ordered_json read_commands(const io::RunPaths& run) {
  std::istringstream lines(io::read_optional_text(run.commands(), io::kMostConfigBytes));
  auto commands = ordered_json::array();
  for (std::string line; std::getline(lines, line);) commands.push_back(io::printable(line));
  return commands;
}

/// Returns what `read` returns, or `otherwise` with a note in `missing` if the file is unreadable.
template <class Read>
ordered_json read_part(const char* part, ordered_json otherwise, ordered_json& missing,
                       const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    missing.push_back(concat(part, ": ", error.what(), "."));
  }
  return otherwise;
}

std::string kind_of(const Table& config) {
  const auto kind = config_text(config, "input", "kind");
  return kind == "sound" || kind == "vector" ? kind : "image";
}

ordered_json audit_to_json(const ReportSamples& samples, bool images) {
  if (samples.audit.is_null()) return nullptr;
  auto audit = samples.audit;
  use_present_audit_names(audit);
  if (!audit.contains("check")) audit["check"] = nullptr;
  audit["images"] = images ? pack_images(samples.worst) : ordered_json();
  audit["sounds"] = images ? pack_sounds(samples.sounds) : ordered_json();
  return audit;
}

void add_samples(const ReportSamples& samples, const RunDataOptions& options, ordered_json& data) {
  data["classes"] = samples.class_names;
  data["missing"] = samples.notes;
  const auto pack = [&](const std::optional<MappedSamples>& part) {
    return part ? pack_samples(*part, options.most_points, options.images) : ordered_json();
  };
  data["test"] = pack(samples.test);
  data["train"] = pack(samples.train);
  data["confusion"] = pack_confusion(samples);
  data["audit"] = audit_to_json(samples, options.images);
  if (data["confusion"].is_null()) {
    data["missing"].push_back(concat("Confusion matrix: omitted for ", samples.class_names.size(),
                                     " classes (limit: ", kMostConfusedClasses, ")."));
  }
}

}  // namespace

ordered_json run_data(const io::RunPaths& run, const RunDataOptions& options) {
  auto config = io::read_toml(run.config());
  if (config_text(config, "loss", "name") != "") {
    auto& name = config.tables["loss"].values["name"].data;
    name = present_loss(std::get<std::string>(name));
  }
  auto missing = ordered_json::array();
  const auto summary = read_part("Results", nullptr, missing, [&] { return read_summary(run); });
  const auto commands =
      read_part("Commands", ordered_json::array(), missing, [&] { return read_commands(run); });
  const auto curves =
      read_part("Curves", curves_of({}), missing, [&] { return metric_curves(run.metrics()); });
  const auto path = run.root.lexically_normal();
  const auto name = (path / "").parent_path().filename().string();
  ordered_json data{{"name", io::printable(name)},
                    {"path", io::printable(path.string())},
                    {"state", state_of(run, summary)},
                    {"commands", commands},
                    {"kind", kind_of(config)},
                    {"classes", ordered_json::array()},
                    {"summary", summary},
                    {"curves", curves},
                    {"config", settings_to_json(config, options.standard)},
                    {"test", nullptr},
                    {"train", nullptr},
                    {"confusion", nullptr},
                    {"audit", nullptr},
                    {"missing", missing}};
  if (summary.is_null()) return data;
  try {
    auto samples = read_report_samples(run.samples());
    samples.protocol = present_protocol(samples.protocol);
    add_samples(samples, options, data);
  } catch (const Error& error) {
    data["missing"].push_back(concat("Map, confusion matrix and audit: ", error.what(), "."));
  }
  return data;
}

}  // namespace projnce::report
