#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/reproduce/result.h"

namespace projnce {

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

}  // namespace projnce
