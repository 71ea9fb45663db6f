#include "projnce/reproduce/result.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"

namespace projnce::reproduce {

namespace {

int sign(double value) {
  return (value > 0) - (value < 0);
}

}  // namespace

std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agreement = 0, ordered_a = 0, ordered_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int in_a = sign(a[i] - a[j]);
      const int in_b = sign(b[i] - b[j]);
      agreement += in_a * in_b;
      ordered_a += in_a != 0;
      ordered_b += in_b != 0;
    }
  }
  if (ordered_a == 0 || ordered_b == 0) return std::nullopt;
  return agreement / std::sqrt(ordered_a * ordered_b);
}

namespace {

struct MeasureText {
  const char* name;
  const char* title;
  ResultUnit unit;
};

MeasureText text_of(Measure measure) {
  switch (measure) {
    case Measure::kCentroid:
      return {
          "centroid",
          "Accuracy by nearest centroid (CE, SCE: their classifier); best test epoch (the paper's "
          "rule) if the data is clean, otherwise last epoch",
          ResultUnit::kPercent};
    case Measure::kOwn:
      return {"own",
              "Accuracy by the loss's own classifier (ProjNCE-MLP: its class vectors, CE and SCE: "
              "their "
              "classifier, others: nearest centroid); last epoch",
              ResultUnit::kPercent};
    case Measure::kProbe:
      return {"probe",
              "Accuracy of a linear probe fitted to the (noisy) training labels; last epoch",
              ResultUnit::kPercent};
    case Measure::kInformation:
      return {"information", "Mutual information of test embeddings and class (Mixed KSG)",
              ResultUnit::kNats};
  }
  fail_runtime("unknown measure");
}

/// Empty if the run has no estimate.
std::optional<double> information_in(const nlohmann::json& summary) {
  const auto& information = summary.at("information");
  if (information.is_null() || information.at("mixed_ksg").is_null()) return {};
  return information.at("mixed_ksg").get<double>();
}

std::optional<double> value_of(Measure measure, const nlohmann::json& summary) {
  switch (measure) {
    case Measure::kCentroid:
      return summary.at("accuracy").at("reported").get<double>();
    case Measure::kOwn:
      return summary.at("protocols").contains("projection")
                 ? summary.at("protocols").at("projection").at("top1").get<double>()
                 : summary.at("accuracy").at("last").get<double>();  // of the classifier, if any
    case Measure::kProbe:
      return summary.at("protocols").at("probe").at("top1").get<double>();
    case Measure::kInformation:
      return information_in(summary);
  }
  fail_runtime("unknown measure");
}

/// Summaries of finished runs.
class FinishedRuns {
 public:
  explicit FinishedRuns(const std::vector<Cell>& cells) {
    for (const auto& cell : cells) {
      const io::RunPaths paths{cell.directory};
      const auto text = io::read_optional_text(paths.summary(), io::kMostSummaryBytes);
      if (text.empty()) continue;
      auto summary = try_parse_json<nlohmann::json>(text);
      if (summary.is_object()) summaries_[cell.directory] = std::move(summary);
    }
  }

  const nlohmann::json* find(const Cell& cell) const {
    const auto found = summaries_.find(cell.directory);
    return found == summaries_.end() ? nullptr : &found->second;
  }
  int64_t count() const { return static_cast<int64_t>(summaries_.size()); }
  double seconds() const {
    double sum = 0;
    for (const auto& [directory, summary] : summaries_) {
      sum += summary.at("seconds").at("total").get<double>();
    }
    return sum;
  }

 private:
  std::map<std::filesystem::path, nlohmann::json> summaries_;
};

std::optional<double> in_unit(std::optional<double> printed, ResultUnit unit) {
  if (printed && unit == ResultUnit::kPercent) return *printed / 100;  // the paper prints percent
  return printed;
}

/// Columns are datasets times conditions, in this order.
class TableBuilder {
 public:
  TableBuilder(const Experiment& experiment, const std::vector<PaperDataset>& datasets)
      : experiment_(experiment), datasets_(datasets) {}

  ResultTable empty(Measure measure, bool with_paper) const {
    const auto text = text_of(measure);
    ResultTable table{.measure = text.name, .title = text.title, .unit = text.unit};
    for (const auto& method : experiment_.methods) {
      table.rows.push_back({method.name, method.title, method.series, method.x});
    }
    for (const auto& dataset : datasets_) add_columns(table, dataset);
    table.cells.assign(table.rows.size(), std::vector<ResultCell>(table.columns.size()));
    for (size_t row = 0; row < table.rows.size(); ++row) {
      for (size_t column = 0; column < table.columns.size(); ++column) {
        const auto& dataset = datasets_[column / experiment_.conditions.size()];
        auto& cell = table.cells[row][column];
        cell.absent = dataset.absent;
        if (!with_paper) continue;
        cell.published =
            in_unit(experiment_.paper_number(dataset.column, table.columns[column].condition,
                                             table.rows[row].method),
                    text.unit);
        cell.comparable = !dataset.stand_in;
      }
    }
    return table;
  }

  ResultCell& at(ResultTable& table, const Cell& cell) const {
    return table.cells[cell.method][cell.dataset * experiment_.conditions.size() + cell.condition];
  }

 private:
  void add_columns(ResultTable& table, const PaperDataset& dataset) const {
    for (const auto& condition : experiment_.conditions) {
      const bool alone = experiment_.conditions.size() == 1 && condition.name == "clean";
      table.columns.push_back(
          {.dataset = dataset.name,
           .condition = condition.name,
           .title = alone ? dataset.title : concat(dataset.title, ", ", condition.title),
           .ranking = {}});
    }
  }

  const Experiment& experiment_;
  const std::vector<PaperDataset>& datasets_;
};

void add_rankings(ResultTable& table) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    std::vector<double> ours, published;
    for (const auto& row : table.cells) {
      if (row[column].runs.empty() || !row[column].published) continue;
      ours.push_back(mean_value(row[column]));
      published.push_back(*row[column].published);
    }
    if (const auto tau = kendall_tau(ours, published)) {
      table.columns[column].ranking =
          RankingAgreement{.kendall = *tau, .methods = static_cast<int64_t>(ours.size())};
    }
  }
}

}  // namespace

Result collect_result(const Experiment& experiment, const Scale& scale,
                      const std::vector<PaperDataset>& datasets, const std::vector<Cell>& cells,
                      const CellErrors& errors) {
  Result result{.name = experiment.name,
                .title = experiment.title,
                .question = experiment.question,
                .scale = scale.name,
                .recipe = scale.words,
                .source = experiment.source,
                .remarks = experiment.remarks,
                .axis = experiment.axis};
  for (const auto& dataset : datasets) {
    if (!dataset.absent.empty()) result.remarks.push_back(dataset.absent);
    for (const auto& remark : dataset.remarks) result.remarks.push_back(remark);
  }
  const FinishedRuns runs(cells);
  const TableBuilder builder(experiment, datasets);
  for (size_t i = 0; i < experiment.measures.size(); ++i) {
    const auto measure = experiment.measures[i];
    auto table = builder.empty(measure, /*with_paper=*/i == 0);
    for (const auto& cell : cells) {
      auto& result_cell = builder.at(table, cell);
      if (const auto* summary = runs.find(cell)) {
        if (const auto value = value_of(measure, *summary)) {
          result_cell.runs.push_back({cell.seed, *value, cell.directory});
        } else {
          result_cell.absent = "too few test samples per class for an estimate";
        }
      } else {
        const auto error = errors.find(cell.directory);
        result_cell.absent = error == errors.end() ? "not trained yet" : error->second;
      }
    }
    add_rankings(table);
    result.tables.push_back(std::move(table));
  }
  result.trained_runs = runs.count();
  result.trained_seconds = runs.seconds();
  return result;
}

}  // namespace projnce::reproduce
