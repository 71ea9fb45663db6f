#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "projnce/core/names.h"

namespace projnce::app {

/// The number that `text` is. Throws a usage error that names the option if it is not a number (a
/// whole one for the first) or lies outside of `range`.
int64_t parse_whole_number(const std::string& option, const std::string& text, const Range& range);
double parse_real_number(const std::string& option, const std::string& text, const Range& range);

/// Position of `text` among `known`. Throws a usage error with the nearest name if it is not there.
size_t parse_choice(const std::string& option, const std::string& text,
                    const std::vector<std::string>& known);

/// "--output" of "-o,--output": what errors call an option.
std::string long_name(const std::string& names);

template <class Number>
Number parse_number(const std::string& option, const std::string& text, const Range& range) {
  if constexpr (std::is_floating_point_v<Number>) {
    return parse_real_number(option, text, range);
  } else {
    return static_cast<Number>(parse_whole_number(option, text, range));
  }
}

template <class Number>
constexpr auto kNumberType = std::is_floating_point_v<Number> ? "FLOAT" : "INT";

/// What help shows as the default. A value outside of the range stands for "chosen automatically".
template <class Number>
std::string default_text(Number value, const Range& range) {
  return contains(range, static_cast<double>(value)) ? CLI::detail::to_string(value) : "";
}

/// An option that takes a number within `range`, which the help text ends with. CLI11's own checks
/// answer with types and limits of C++.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, Number& target,
                        const Range& range, const std::string& help) {
  return command
      .add_option_function<std::string>(
          names,
          [option = long_name(names), &target, range](const std::string& text) {
            target = parse_number<Number>(option, text, range);
          },
          help + " (" + describe(range) + ")")
      ->type_name(kNumberType<Number>)
      ->default_str(default_text(target, range));
}

/// The same for a list of numbers.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& names, std::vector<Number>& target,
                        const Range& range, const std::string& help) {
  return command
      .add_option_function<std::vector<std::string>>(
          names,
          [option = long_name(names), &target, range](const std::vector<std::string>& texts) {
            target.clear();
            for (const auto& text : texts) {
              target.push_back(parse_number<Number>(option, text, range));
            }
          },
          help + " (each " + describe(range) + ")")
      ->type_name(kNumberType<Number>)
      ->default_str(CLI::detail::join(target, ","));
}

/// An option that takes one of some names. Help shows the names and the one that `target` holds.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& names, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& help) {
  std::vector<std::string> known;
  std::string current;
  for (const auto& [name, value] : choices) {
    known.push_back(name);
    if (value == target) current = name;
  }
  const auto listed = "{" + CLI::detail::join(known, ", ") + "}";
  return command
      .add_option_function<std::string>(
          names,
          [option = long_name(names), &target, choices, known](const std::string& text) {
            target = choices[parse_choice(option, text, known)].second;
          },
          help)
      ->type_name(listed)
      ->default_str(current);
}

/// The same where the name itself is the value.
CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& target,
                        const std::vector<std::string>& known, const std::string& help);

}  // namespace projnce::app
