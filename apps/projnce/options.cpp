#include "apps/projnce/options.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/core/names.h"

namespace projnce::app {

namespace {

/// Parses all of `text` as a number. Returns false if that fails.
template <class Number>
bool parse(const std::string& text, Number& number) {
  const auto* first = text.data();
  const auto* last = first + text.size();
  if (text.starts_with('+')) ++first;
  const auto [end, problem] = std::from_chars(first, last, number);
  return problem == std::errc() && end == last;
}

void check_range(const std::string& option, const std::string& text, double number,
                 const Range& range) {
  if (contains(range, number)) return;
  fail(option, " = ", text, " is out of range, expected ", describe(range));
}

}  // namespace

int64_t parse_integer(const std::string& option, const std::string& text, const Range& range) {
  int64_t number = 0;
  if (!parse(text, number)) {
    fail(option, " = '", text, "' is not an integer, expected an integer ", describe(range));
  }
  check_range(option, text, static_cast<double>(number), range);
  return number;
}

double parse_float(const std::string& option, const std::string& text, const Range& range) {
  double number = 0;
  if (!parse(text, number) || !std::isfinite(number)) {
    fail(option, " = '", text, "' is not a number, expected a number ", describe(range));
  }
  check_range(option, text, number, range);
  return number;
}

size_t parse_choice(const std::string& option, const std::string& text,
                    const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  const auto nearest = nearest_name(text, known);
  fail(Hint{nearest.empty() ? "" : "did you mean '" + nearest + "'?"}, option, " = '", text,
       "' is not one of ", join(known));
}

std::string long_name(const std::string& names) {
  const auto comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

void add_device(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "where encoders run: auto, cpu, cuda or cuda:N")
      ->type_name("DEVICE")
      ->default_str(device);
}

CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& target,
                        const std::vector<std::string>& known, const std::string& help) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const auto& name : known) choices.emplace_back(name, name);
  return add_choice(command, names, target, choices, help);
}

}  // namespace projnce::app
