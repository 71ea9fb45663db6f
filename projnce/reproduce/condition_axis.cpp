#include "projnce/reproduce/condition_axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "projnce/report/lettering.h"

namespace projnce {

namespace {

/// A condition in words.
std::string condition_words(const ResultColumn& column) {
  const auto comma = column.title.rfind(", ");
  if (comma != column.title.npos) return column.title.substr(comma + 2);
  return column.condition.empty() ? column.title : column.condition;
}

/// "30 % wrong labels" in its parts.
struct CountedCondition {
  double number = 0;
  std::string counted;  ///< "30 %"
  std::string of;       ///< "wrong labels"; "" of none at all
};

std::optional<CountedCondition> counted_condition(const std::string& words) {
  if (words == "clean") return CountedCondition{.number = 0, .counted = words, .of = {}};
  CountedCondition parts;
  const auto* end = words.data() + words.size();
  const auto parsed = std::from_chars(words.data(), end, parts.number);
  if (parsed.ec != std::errc()) return std::nullopt;
  std::string_view rest(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  if (rest.starts_with(" %")) rest.remove_prefix(2);
  parts.counted = words.substr(0, words.size() - rest.size());
  parts.of = rest.substr(std::min(rest.size(), rest.find_first_not_of(' ')));
  return parts;
}

struct CountedConditions {
  std::vector<CountedCondition> all;
  std::string of;
};

/// All in parts, where they are rising numbers of one thing.
std::optional<CountedConditions> counted_conditions(const std::vector<std::string>& words) {
  CountedConditions conditions;
  for (const auto& one : words) {
    const auto parts = counted_condition(one);
    if (!parts) return std::nullopt;
    if (conditions.of.empty()) conditions.of = parts->of;
    if (!parts->of.empty() && parts->of != conditions.of) return std::nullopt;
    if (!conditions.all.empty() && parts->number <= conditions.all.back().number) {
      return std::nullopt;
    }
    conditions.all.push_back(*parts);
  }
  return conditions;
}

constexpr double kLeastGap = 0.07;  // of the axis: about a label

std::vector<double> scaled_to_one(std::vector<double> values) {
  const double low = values.front();
  const double extent = values.back() - low;
  for (auto& value : values) value = (value - low) / extent;
  return values;
}

bool is_crowded(const std::vector<double>& places) {
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] - places[i - 1] < kLeastGap) return true;
  }
  return false;
}

}  // namespace

std::string dataset_title(const ResultColumn& column) {
  return column.title.substr(0, column.title.rfind(", "));
}

ChartAxis condition_axis(const ResultTable& table, const std::vector<size_t>& columns) {
  std::vector<std::string> words;
  for (const auto column : columns) words.push_back(condition_words(table.columns.at(column)));
  const auto counted = counted_conditions(words);
  std::vector<double> numbers;
  for (size_t i = 0; i < words.size(); ++i) {
    numbers.push_back(counted ? counted->all[i].number : static_cast<double>(i));
  }
  const auto places = spread_places(numbers);
  ChartAxis axis{.title = counted ? display_name(counted->of) : ""};
  for (size_t i = 0; i < words.size(); ++i) {
    axis.ticks.push_back({places[i], display_name(counted ? counted->all[i].counted : words[i])});
  }
  return axis;
}

std::vector<double> spread_places(std::span<const double> ascending) {
  if (ascending.size() == 1) return {0.5};
  const auto by_value = scaled_to_one({ascending.begin(), ascending.end()});
  if (!is_crowded(by_value)) return by_value;
  if (ascending.front() > 0) {
    std::vector<double> logarithms;
    for (const double value : ascending) logarithms.push_back(std::log(value));
    auto by_logarithm = scaled_to_one(std::move(logarithms));
    if (!is_crowded(by_logarithm)) return by_logarithm;
  }
  std::vector<double> steps;
  for (size_t i = 0; i < ascending.size(); ++i) {
    steps.push_back(static_cast<double>(i) / static_cast<double>(ascending.size() - 1));
  }
  return steps;
}

}  // namespace projnce
