#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace projnce {

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
struct ResultPicture {
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
  std::vector<ResultPicture> pictures;
  std::string axis;            ///< what `x` of the rows is; "" where there are no curves
  int64_t trained_runs = 0;    ///< behind all tables
  double trained_seconds = 0;  ///< that they took together, on one core or several
};

/// Mean of the runs' values. REQUIRES: there is one.
double mean_value(const ResultCell& cell);
/// Standard deviation over the runs, of the sample; none for fewer than two.
std::optional<double> deviation(const ResultCell& cell);

}  // namespace projnce
