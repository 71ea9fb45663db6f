#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/experiment.h"

namespace projnce::reproduce {

/// One run of a cell.
struct ResultRun {
  int64_t seed = 0;
  double value = 0;                 ///< accuracy as a fraction, or mutual information in nats
  std::filesystem::path directory;  ///< of the run, with its config.toml
};

/// Cell of a table. Only contains values of finished runs.
struct ResultCell {
  std::vector<ResultRun> runs;  ///< by seed; empty: not trained
  std::string absent;           ///< why some or all seeds are missing; empty: none missing
  /// Published value in the same unit, for the ranking and for differences between methods.
  std::optional<double> published;
  bool comparable = true;  ///< false: `published` is of another dataset

  /// Published value to show beside this one; empty if it is of another dataset.
  std::optional<double> paper() const { return comparable ? published : std::nullopt; }
};

/// Rank correlation of the methods with the paper.
struct RankingAgreement {
  double kendall = 0;   ///< Kendall's tau-b: 1 same order, -1 opposite order
  int64_t methods = 0;  ///< number of compared methods
};

struct ResultColumn {
  std::string dataset;
  std::string condition;                    ///< "noise-30"
  std::string title;                        ///< "CIFAR-10, 30 % wrong labels"
  std::optional<RankingAgreement> ranking;  ///< empty for fewer than two comparable methods
};

struct ResultRow {
  std::string method;  ///< "projnce-mlp"
  std::string title;   ///< "ProjNCE-MLP"
  std::string series;  ///< rows of a series are points of one curve; "": no curves
  double x = 0;        ///< position on the curve
};

enum class ResultUnit { kPercent, kNats };

/// Table of one metric.
struct ResultTable {
  std::string measure;  ///< "centroid", "probe", "information"
  std::string title;    ///< "accuracy by nearest centroid, last epoch"
  ResultUnit unit = ResultUnit::kPercent;
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
  std::vector<std::vector<ResultCell>> cells;  ///< [row][column]
};

/// SVG file of a result.
struct ResultImage {
  std::string file;  ///< file name, such as "figure3-cifar10.svg"
  std::string title;
  std::string svg;
};

/// Reproduced table or figure of the paper.
struct Result {
  std::string name;  ///< "table4", followed by the dataset if it replaces another
  std::string title;
  std::string question;              ///< research question, one sentence
  std::string scale;                 ///< "laptop"
  std::string recipe;                ///< description of the scale
  std::string source;                ///< source of the published values
  std::string command;               ///< that produces this result
  std::vector<std::string> remarks;  ///< notes, such as missing or replaced datasets
  std::vector<ResultTable> tables;
  std::vector<ResultImage> images;
  std::string axis;            ///< meaning of `x` of the rows; "": no curves
  int64_t trained_runs = 0;    ///< number of runs of all tables
  double trained_seconds = 0;  ///< total time of all runs
};

/// Mean over the runs. REQUIRES: at least one run.
double mean_value(const ResultCell& cell);
/// Sample standard deviation over the runs; empty for fewer than two.
std::optional<double> deviation(const ResultCell& cell);

/// One run with its values in all tables.
struct RunNumbers {
  std::string method;  ///< title
  std::string column;
  int64_t seed = 0;
  std::filesystem::path directory;
  std::vector<std::optional<double>> values;  ///< by table
};

/// All runs of the result, without duplicates, in the order of the tables.
std::vector<RunNumbers> all_runs(const Result& result);

/// Column heading in a list of runs: "centroid (%)", "information (nats)".
std::string value_heading(const ResultTable& table);

// Texts shared by the Markdown file, the HTML file and the charts of a result.

/// Title of the row with the rank correlations.
inline constexpr std::string_view kRankingTitle = "rank correlation with the paper (Kendall's tau)";

/// Formats a value: "36.9" for a fraction, "1.25" for nats, with a typographic minus sign.
std::string unit_number(double value, ResultUnit unit);
/// Formats "36.9 ± 0.4", or "36.9" for a single run. REQUIRES: at least one run.
std::string mean_text(const ResultCell& cell, ResultUnit unit);
/// Formats the difference to the published value: "+0.3", "−37.5", or "0.0" if it rounds to zero.
std::string difference_text(double difference, ResultUnit unit);
/// "0.67 (5 methods)", or "–".
std::string ranking_text(const std::optional<RankingAgreement>& ranking);
/// "in percent" or "in nats".
std::string unit_phrase(ResultUnit unit);
/// "Mean ± standard deviation over 3 seeds", or the text for fewer seeds.
std::string seeds_phrase(const ResultTable& table);
/// "table4: Wrong labels".
std::string result_title(const Result& result);
/// "Scale laptop: 20 epochs."
std::string scale_sentence(const Result& result);
/// "Published values from arXiv:2506.09810."; "" without a source.
std::string source_sentence(const Result& result);
/// Explains the values of a table.
std::string table_sentence(const ResultTable& table);
/// "9 runs, total training time 2 h 10 min."; "" without runs.
std::string training_sentence(const Result& result);

/// Maximum number of runs per cell of the table.
size_t most_runs(const ResultTable& table);
/// "(2 of 3)" if a cell has fewer runs than others; "" if it has none or all.
std::string missing_seeds(const ResultCell& cell, size_t most);
/// True if the cell has the best mean of its column, among at least two.
bool is_best(const ResultTable& table, size_t row, size_t column);
/// True if cells of the table show published values.
bool shows_published_values(const ResultTable& table);
/// True if columns of the table have rank correlations with the paper.
bool has_rankings(const ResultTable& table);

/// Footnotes with the reasons for missing runs, without duplicates, in the order of the table.
class AbsenceNotes {
 public:
  explicit AbsenceNotes(const ResultTable& table);

  /// Footnote mark of a cell, such as "²"; "" if no runs are missing.
  std::string mark(const ResultCell& cell) const;
  /// Footnotes: "² the archive is missing".
  std::vector<std::string> lines() const;

 private:
  std::vector<std::string> reasons_;
};

/// Kendall's tau-b of two lists of equal length: 1 for the same order, -1 for the opposite order,
/// corrected for ties. Empty if all values of a list are equal.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// Errors of cells without a finished run, by run directory.
using CellErrors = std::map<std::filesystem::path, std::string>;

/// Collects the finished runs into tables with the published values. Cells without a finished run
/// have no value.
Result collect_result(const Experiment& experiment, const Scale& scale,
                      const std::vector<PaperDataset>& datasets, const std::vector<Cell>& cells,
                      const CellErrors& errors);

}  // namespace projnce::reproduce
