#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::reproduce {

/// One training behind a number.
struct ResultRun {
  int64_t seed = 0;
  double value = 0;                 ///< accuracy as a share, or information in nats
  std::filesystem::path directory;  ///< of the run: its config.toml tells everything
};

/// One place of a table. Never holds a number that was not trained.
struct ResultCell {
  std::vector<ResultRun> runs;  ///< by seed; empty where nothing was trained
  std::string absent;           ///< why a seed, or all of them, is missing; empty where none is
  std::optional<double> paper;  ///< the paper's number in the same unit
};

/// Whether methods come out in the paper's order.
struct RankingAgreement {
  double kendall = 0;   ///< tau-b: 1 the same order, -1 the opposite one
  int64_t methods = 0;  ///< that both we and the paper have a number for
};

struct ResultColumn {
  std::string dataset;
  std::string condition;                    ///< "noise-30"
  std::string title;                        ///< "CIFAR-10, 30 % wrong labels"
  std::optional<RankingAgreement> ranking;  ///< none where fewer than two methods can be compared
};

struct ResultRow {
  std::string method;  ///< "projnce-mlp"
  std::string title;   ///< "ProjNCE-MLP"
  std::string series;  ///< rows of one series are points of one curve; "" where there are no curves
  double x = 0;        ///< where on that curve
};

enum class ResultUnit { kPercent, kNats };

/// One measure of all runs.
struct ResultTable {
  std::string measure;  ///< "centroid", "probe", "information"
  std::string title;    ///< "accuracy by nearest centroid, last epoch"
  ResultUnit unit = ResultUnit::kPercent;
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
  std::vector<std::vector<ResultCell>> cells;  ///< [row][column]
};

/// A drawing that belongs to the result, as a whole SVG file.
struct ResultImage {
  std::string file;  ///< "figure3-cifar10.svg", beside the other files
  std::string title;
  std::string svg;
};

/// A table or figure of the paper as it came out here.
struct Result {
  std::string name;  ///< "table4", with the dataset's name where it was put in another's place
  std::string title;
  std::string question;              ///< what the paper asks there, in a sentence
  std::string scale;                 ///< "laptop"
  std::string recipe;                ///< the scale in plain words
  std::string source;                ///< where the paper's numbers are from
  std::string command;               ///< that makes this result
  std::vector<std::string> remarks;  ///< what the reader must know: absent datasets, stand-ins
  std::vector<ResultTable> tables;
  std::vector<ResultImage> images;
  std::string axis;            ///< what `x` of the rows is; "" where there are no curves
  int64_t trained_runs = 0;    ///< behind all tables
  double trained_seconds = 0;  ///< that they took together, on one core or several
};

/// Mean of the runs' values. REQUIRES: there is one.
double mean_value(const ResultCell& cell);
/// Standard deviation over the runs, of the sample; none for fewer than two.
std::optional<double> deviation(const ResultCell& cell);

/// A training, with what every table of the result has of it.
struct RunNumbers {
  std::string method;  ///< titles, for people
  std::string column;
  int64_t seed = 0;
  std::filesystem::path directory;
  std::vector<std::optional<double>> values;  ///< by table
};

/// All runs of the result, each once, in the order of the tables.
std::vector<RunNumbers> all_runs(const Result& result);

/// What a table's numbers are called in a list of runs: "centroid (%)", "information (nats)".
std::string value_heading(const ResultTable& table);

// Texts that the Markdown file, the HTML file and the charts of a result share.

/// The row that compares the order of methods.
inline constexpr std::string_view kRankingTitle = "order agrees with the paper (Kendall)";

/// "36.9" of a share, "1.25" nats; a minus is a true one.
std::string unit_number(double value, ResultUnit unit);
/// "36.9 ± 0.4", or "36.9" of a single run. REQUIRES: the cell has a run.
std::string mean_text(const ResultCell& cell, ResultUnit unit);
/// Ours less the paper's: "+0.3", "−37.5", or "0.0" for what rounds to nothing.
std::string difference_text(double difference, ResultUnit unit);
/// "0.67 of 5 methods", "–" for none.
std::string ranking_text(const std::optional<RankingAgreement>& ranking);
/// "in percent", "in nats"
std::string unit_phrase(ResultUnit unit);
/// "Mean ± standard deviation over 3 seeds", or what else the table's numbers are.
std::string seeds_phrase(const ResultTable& table);
/// "table4: Wrong labels"
std::string result_title(const Result& result);
/// "Scale laptop: 20 epochs."
std::string scale_sentence(const Result& result);
/// "The paper's numbers are from arXiv:2506.09810."; "" where no source is known.
std::string source_sentence(const Result& result);
/// What the numbers of a table are.
std::string table_sentence(const ResultTable& table);
/// "9 runs were trained, which took 2 h 10 min together."; "" where none was.
std::string training_sentence(const Result& result);

/// The most runs that a cell of the table has.
size_t most_runs(const ResultTable& table);
/// "(2 of 3)" where a cell has some runs but fewer than others, else "".
std::string missing_seeds(const ResultCell& cell, size_t most);
/// Whether ours is the best mean of its column, of two or more.
bool is_best(const ResultTable& table, size_t row, size_t column);
/// Whether the paper has a number for one of the cells, or an order to compare.
bool paper_has_numbers(const ResultTable& table);

/// Reasons why cells are empty, in the order of the table; each once.
class AbsenceNotes {
 public:
  explicit AbsenceNotes(const ResultTable& table);

  /// "²" for a cell that lacks runs for the second reason; "" for one that tells no reason.
  std::string mark(const ResultCell& cell) const;
  /// "² the archive is not there", one for each reason.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::string> reasons_;
};

}  // namespace projnce::reproduce
