#include "projnce/reproduce/check_cells.h"

#include <algorithm>
#include <map>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/pipeline/run_config.h"

namespace projnce {

namespace {

/// Why settings cannot be trained with; "" if they can. Remembers what was asked before: cells
/// share most of their settings.
class CellCheck {
 public:
  explicit CellCheck(const OpenContext& context) : context_(context) {}

  std::string reason(const Cell& cell) {
    const auto& data = cell.config.tables.at("dataset");
    const auto found = remember(to_toml(data), [&] {
      open_unchecked_dataset(parse_dataset_options(data, context_.seed), context_);
    });
    if (!found.empty()) return found;
    auto settings = cell.config;
    settings.tables.erase("dataset");
    settings.values.erase("seed");
    return remember(to_toml(settings), [&] { parse_run_config(settings); });
  }

 private:
  template <class Check>
  std::string remember(const std::string& settings, const Check& check) {
    const auto known = reasons_.find(settings);
    if (known != reasons_.end()) return known->second;
    std::string reason;
    try {
      check();
    } catch (const Error& error) {
      reason = error.what();
    }
    return reasons_.emplace(settings, reason).first->second;
  }

  OpenContext context_;
  std::map<std::string, std::string> reasons_;  // by the settings
};

}  // namespace

std::vector<ImpossibleCells> take_out_impossible(std::vector<Cell>& cells,
                                                 const OpenContext& context) {
  CellCheck check(context);
  std::vector<ImpossibleCells> impossible;
  std::vector<Cell> possible;
  for (auto& cell : cells) {
    const auto reason = check.reason(cell);
    if (reason.empty()) {
      possible.push_back(std::move(cell));
      continue;
    }
    auto group = std::find_if(impossible.begin(), impossible.end(), [&](const auto& known) {
      return known.column == cell.column && known.reason == reason;
    });
    if (group == impossible.end()) {
      group = impossible.insert(group, {.column = cell.column, .reason = reason, .cells = {}});
    }
    group->cells.push_back(std::move(cell));
  }
  cells = std::move(possible);
  return impossible;
}

}  // namespace projnce
