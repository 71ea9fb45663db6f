#include "projnce/report/metric_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace projnce {

namespace {

using nlohmann::ordered_json;

/// A line of the file, checked.
struct MetricLine {
  int64_t step = 0;
  int64_t epoch = 0;
  std::string split;
  std::string name;
  ordered_json value;
};

bool parse_line(const std::string& text, MetricLine& line) {
  const auto json = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    line = {.step = json.at("step"),
            .epoch = json.at("epoch"),
            .split = json.at("split"),
            .name = json.at("name"),
            .value = json.at("value")};
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return line.value.is_object();
}

std::vector<MetricLine> read_lines(const std::filesystem::path& metrics) {
  std::ifstream file(metrics);
  std::vector<MetricLine> lines;
  std::string text;
  while (std::getline(file, text)) {
    MetricLine line;
    if (parse_line(text, line)) lines.push_back(std::move(line));
  }
  return lines;
}

/// Columns of equal length: a row that lacks a number has null there.
class ColumnTable {
 public:
  void start_row() { ++rows_; }
  void set(const std::string& name, const ordered_json& number) {
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

/// Steps of an epoch, as far as the lines tell: by the last epoch that is complete.
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

}  // namespace

ordered_json metric_curves(const std::filesystem::path& metrics) {
  const auto lines = read_lines(metrics);
  const double steps_in_epoch = steps_per_epoch(lines);
  ColumnTable steps;
  ColumnTable epochs;
  std::map<std::string, ColumnTable> tests;
  auto events = ordered_json::array();
  for (const auto& line : lines) {
    const double place = double(line.step) / std::max(steps_in_epoch, 1.0);
    if (line.split == "test") {
      add_row(tests[line.name], line, double(line.epoch + 1));
    } else if (line.name == "step") {
      add_row(steps, line, place);
    } else if (line.name == "epoch") {
      add_row(epochs, line, double(line.epoch + 1));
    } else if (line.name == "spike" || line.name == "passed_over") {
      events.push_back({{"step", line.step},
                        {"epoch", place},
                        {"name", line.name},
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

}  // namespace projnce
