#include "projnce/reproduce/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include "projnce/core/counted.h"
#include "projnce/core/progress.h"

namespace projnce::reproduce {

double mean_value(const ResultCell& cell) {
  double sum = 0;
  for (const auto& run : cell.runs) sum += run.value;
  return sum / static_cast<double>(cell.runs.size());
}

std::optional<double> deviation(const ResultCell& cell) {
  if (cell.runs.size() < 2) return std::nullopt;
  const double mean = mean_value(cell);
  double squares = 0;
  for (const auto& run : cell.runs) squares += (run.value - mean) * (run.value - mean);
  return std::sqrt(squares / static_cast<double>(cell.runs.size() - 1));
}

std::vector<RunNumbers> all_runs(const Result& result) {
  std::vector<RunNumbers> all;
  // All tables contain the same runs; two cells of one table may also share a run.
  std::map<std::tuple<std::string, std::string, int64_t, std::filesystem::path>, size_t> indices;
  for (size_t t = 0; t < result.tables.size(); ++t) {
    const auto& table = result.tables[t];
    for (size_t row = 0; row < table.rows.size(); ++row) {
      for (size_t column = 0; column < table.columns.size(); ++column) {
        for (const auto& run : table.cells.at(row).at(column).runs) {
          const auto& method = table.rows[row].title;
          const auto& title = table.columns[column].title;
          const auto [place, added] =
              indices.try_emplace({method, title, run.seed, run.directory}, all.size());
          if (added) all.push_back({method, title, run.seed, run.directory, {}});
          auto& values = all[place->second].values;
          values.resize(result.tables.size());
          values[t] = run.value;
        }
      }
    }
  }
  return all;
}

std::string value_heading(const ResultTable& table) {
  return table.measure + (table.unit == ResultUnit::kPercent ? " (%)" : " (nats)");
}

namespace {

/// Formats a rounded number; if `plus`, positive numbers get a sign.
std::string rounded_number(double number, int digits, bool plus) {
  const auto size = fmt::format("{:.{}f}", std::abs(number), digits);
  const bool is_zero = size.find_first_not_of("0.") == size.npos;
  if (is_zero || std::isnan(number)) return size;
  return (number < 0 ? "−" : plus ? "+" : "") + size;
}

std::string signed_number(double value, ResultUnit unit, bool plus) {
  return unit == ResultUnit::kPercent ? rounded_number(100 * value, 1, plus)
                                      : rounded_number(value, 2, plus);
}

std::string with_full_stop(std::string sentence) {
  while (!sentence.empty() && std::isspace(static_cast<unsigned char>(sentence.back())) != 0) {
    sentence.pop_back();
  }
  return sentence.ends_with('.') ? sentence : sentence + '.';
}

std::string superscript(size_t number) {
  constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                   "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) {
    text += kDigits.at(static_cast<size_t>(digit - '0'));
  }
  return text;
}

}  // namespace

std::string unit_number(double value, ResultUnit unit) {
  return signed_number(value, unit, /*plus=*/false);
}

std::string mean_text(const ResultCell& cell, ResultUnit unit) {
  auto text = unit_number(mean_value(cell), unit);
  if (const auto spread = deviation(cell)) text += " ± " + unit_number(*spread, unit);
  return text;
}

std::string difference_text(double difference, ResultUnit unit) {
  return signed_number(difference, unit, /*plus=*/true);
}

std::string ranking_text(const std::optional<RankingAgreement>& ranking) {
  if (!ranking) return "–";
  return fmt::format("{} ({})", rounded_number(ranking->kendall, 2, /*plus=*/false),
                     counted(ranking->methods, "method"));
}

std::string unit_phrase(ResultUnit unit) {
  return unit == ResultUnit::kPercent ? "in percent" : "in nats";
}

std::string seeds_phrase(const ResultTable& table) {
  const auto most = most_runs(table);
  if (most == 0) return "No runs";
  if (most == 1) return "One seed, no standard deviation";
  return fmt::format("Mean ± standard deviation over {} seeds", most);
}

std::string result_title(const Result& result) {
  return result.name + ": " + result.title;
}

std::string scale_sentence(const Result& result) {
  if (result.recipe.empty()) return with_full_stop("Scale " + result.scale);
  return with_full_stop(fmt::format("Scale {}: {}", result.scale, result.recipe));
}

std::string source_sentence(const Result& result) {
  if (result.source.empty()) return "";
  const bool numbers = std::any_of(
      result.tables.begin(), result.tables.end(),
      [](const auto& table) { return shows_published_values(table) || has_rankings(table); });
  return with_full_stop((numbers ? "Published values from " : "Paper: ") + result.source);
}

std::string table_sentence(const ResultTable& table) {
  return fmt::format("{}, {}.{}", seeds_phrase(table), unit_phrase(table.unit),
                     shows_published_values(table)
                         ? " Cells also show the published value and the difference to it."
                         : "");
}

std::string training_sentence(const Result& result) {
  if (result.trained_runs == 0) return "";
  return fmt::format("{}, total training time {}.", counted(result.trained_runs, "run"),
                     format_duration(result.trained_seconds));
}

size_t most_runs(const ResultTable& table) {
  size_t most = 0;
  for (const auto& row : table.cells) {
    for (const auto& cell : row) most = std::max(most, cell.runs.size());
  }
  return most;
}

std::string missing_seeds(const ResultCell& cell, size_t most) {
  if (cell.runs.empty() || cell.runs.size() >= most) return "";
  return fmt::format("({} of {})", cell.runs.size(), most);
}

bool is_best(const ResultTable& table, size_t row, size_t column) {
  const auto& candidate = table.cells.at(row).at(column);
  if (candidate.runs.empty()) return false;
  size_t compared = 0;
  for (const auto& cells : table.cells) {
    const auto& cell = cells.at(column);
    if (cell.runs.empty() || std::isnan(mean_value(cell))) continue;
    // Negated >= so that a NaN mean is never the best.
    if (!(mean_value(candidate) >= mean_value(cell))) return false;
    ++compared;
  }
  return compared >= 2;
}

bool shows_published_values(const ResultTable& table) {
  return std::any_of(table.cells.begin(), table.cells.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const auto& cell) { return cell.paper(); });
  });
}

bool has_rankings(const ResultTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const auto& column) { return column.ranking.has_value(); });
}

AbsenceNotes::AbsenceNotes(const ResultTable& table) {
  for (const auto& row : table.cells) {
    for (const auto& cell : row) {
      if (cell.absent.empty()) continue;
      if (std::find(reasons_.begin(), reasons_.end(), cell.absent) != reasons_.end()) continue;
      reasons_.push_back(cell.absent);
    }
  }
}

std::string AbsenceNotes::mark(const ResultCell& cell) const {
  const auto found = std::find(reasons_.begin(), reasons_.end(), cell.absent);
  if (found == reasons_.end()) return "";
  return superscript(static_cast<size_t>(found - reasons_.begin()) + 1);
}

std::vector<std::string> AbsenceNotes::lines() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < reasons_.size(); ++i) {
    lines.push_back(superscript(i + 1) + " " + reasons_[i]);
  }
  return lines;
}

}  // namespace projnce::reproduce
