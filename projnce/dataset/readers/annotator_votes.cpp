#include "projnce/dataset/readers/annotator_votes.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

[[noreturn]] void fail_array(const io::DataTable& table, int64_t row, size_t column) {
  fail(table.location(row), " has '", io::printable_start(table.field(row, column)),
       "' in the column '", io::printable_start(table.columns()[column]),
       "', expected a label or a JSON array of labels");
}

/// Appends the labels of a field.
void append_votes(const io::DataTable& table, int64_t row, size_t column,
                  std::vector<std::string>& votes) {
  const auto text = table.field(row, column);
  if (text.empty()) return;
  if (!text.starts_with('[')) {
    votes.emplace_back(text);
    return;
  }
  const auto array = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!array.is_array()) fail_array(table, row, column);
  for (const auto& vote : array) {
    if (vote.is_null()) continue;
    if (vote.is_structured()) fail_array(table, row, column);
    votes.push_back(vote.is_string() ? vote.get<std::string>() : vote.dump());
    if (votes.back().empty()) votes.pop_back();
  }
}

}  // namespace

MajorityLabels count_votes(const io::DataTable& table, const std::vector<std::string>& columns) {
  std::vector<size_t> indices;
  for (const auto& column : columns) indices.push_back(table.column(column));
  std::vector<std::vector<std::string>> votes(static_cast<size_t>(table.size()));
  std::unordered_map<std::string, int64_t> totals;
  for (int64_t row = 0; row < table.size(); ++row) {
    auto& own = votes[static_cast<size_t>(row)];
    for (const size_t column : indices) append_votes(table, row, column, own);
    if (own.empty()) {
      fail(Hint{"label the row or remove it"}, table.location(row),
           " has no label of any annotator in the columns of --votes");
    }
    for (const auto& vote : own) ++totals[vote];
  }
  MajorityLabels majority;
  for (const auto& own : votes) {
    std::map<std::string_view, int64_t> counts;
    for (const auto& vote : own) ++counts[vote];
    // The map is in the order of the labels: the first of equal ones remains.
    auto best = counts.begin();
    for (auto label = counts.begin(); label != counts.end(); ++label) {
      const auto rank = [&](auto entry) {
        return std::tuple(entry->second, totals.at(std::string(entry->first)));
      };
      if (rank(label) > rank(best)) best = label;
    }
    majority.labels.emplace_back(best->first);
    majority.votes.push_back(static_cast<int64_t>(own.size()));
    majority.agreeing.push_back(best->second);
  }
  return majority;
}

}  // namespace projnce::dataset
