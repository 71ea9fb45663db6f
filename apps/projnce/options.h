#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/inference/array_files.h"

namespace projnce::app {

/// Parses `text` as a number. Throws an error that names the option if `text` is not a number (for
/// parse_integer: not an integer) or is out of `range`.
int64_t parse_integer(const std::string& option, const std::string& text, const Range& range);
double parse_float(const std::string& option, const std::string& text, const Range& range);

/// Index of `text` in `known`. Throws an error that suggests the closest name if it is missing.
size_t parse_choice(const std::string& option, const std::string& text,
                    const std::vector<std::string>& known);

/// Option name for error messages: "--output" for "-o,--output".
std::string long_name(const std::string& names);

template <class Number>
Number parse_number(const std::string& option, const std::string& text, const Range& range) {
  if constexpr (std::is_floating_point_v<Number>) {
    return parse_float(option, text, range);
  } else {
    return static_cast<Number>(parse_integer(option, text, range));
  }
}

template <class Number>
constexpr auto kTypeName = std::is_floating_point_v<Number> ? "FLOAT" : "INT";

/// Default value to show in help. Empty if `value` is out of range, which means "automatic".
template <class Number>
std::string default_text(Number value, const Range& range) {
  return contains(range, static_cast<double>(value)) ? CLI::detail::to_string(value) : "";
}

/// Adds an option that takes a number within `range`; the range is appended to its help text. Used
/// instead of CLI11's checks because their messages mention C++ types and limits.
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
      ->type_name(kTypeName<Number>)
      ->default_str(default_text(target, range));
}

/// Overload for a list of numbers.
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
      ->type_name(kTypeName<Number>)
      ->default_str(CLI::detail::join(target, ","));
}

/// Adds an option that takes one of the names in `choices`. Help lists the names; the default is
/// the current value of `target`.
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

/// Overload for options whose value is the name itself.
CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& target,
                        const std::vector<std::string>& known, const std::string& help);

/// Adds the options that describe a table: --label, --text, --image, --audio, --id, --split,
/// --group, --feature-columns and --run.
void add_table_options(CLI::App& command, inference::TableRequest& request);

/// True if any of these options was given.
bool has_table_options(const inference::TableRequest& request);

/// Throws if table options were given although `input` is not a table. Otherwise, if it is one,
/// makes it the table of the request and returns true.
bool take_table(inference::TableRequest& request, const std::filesystem::path& input);

/// Returns the innermost parsed command: `data info` of `projnce data info photos`.
/// REQUIRES: `app` has parsed, successfully or not.
const CLI::App& reached_command(const CLI::App& app);

/// Returns the full name of a command, such as "projnce data info".
std::string command_path(const CLI::App& command);

/// Converts a CLI11 parse error to an Error that suggests the closest valid name and points to the
/// command's --help.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace projnce::app
