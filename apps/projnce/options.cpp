#include "apps/projnce/options.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

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

CLI::Option* add_choice(CLI::App& command, const std::string& names, std::string& target,
                        const std::vector<std::string>& known, const std::string& help) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const auto& name : known) choices.emplace_back(name, name);
  return add_choice(command, names, target, choices, help);
}

void add_table_options(CLI::App& command, inference::TableRequest& request) {
  const char* group = "Columns of a table (.csv, .tsv, .jsonl)";
  auto& columns = request.columns;
  const auto add = [&](const char* name, std::string& target, const char* help) {
    command.add_option(name, target, help)->type_name("COLUMN")->group(group);
  };
  add("--label", columns.label, "labels: any text or numbers");
  add("--text", columns.text, "texts to show");
  add("--image", columns.image, "paths of images, relative to the table");
  add("--audio", columns.audio, "paths of audio files, relative to the table");
  add("--id", columns.id, "ids, different in every row");
  add("--split", columns.split, "splits, such as train and test");
  add("--group", columns.group, "groups of samples");
  command
      .add_option("--feature-columns", columns.embedding,
                  "columns of numbers or arrays, or NAME for NAME_0, NAME_1, ... (default: "
                  "embedding)")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->group(group);
  command.add_option("--run", request.run, "run that embeds the column --image or --audio")
      ->type_name("RUN")
      ->group(group);
}

bool has_table_options(const inference::TableRequest& request) {
  const auto& c = request.columns;
  for (const auto* name : {&c.label, &c.text, &c.image, &c.audio, &c.id, &c.split, &c.group}) {
    if (!name->empty()) return true;
  }
  return !c.embedding.empty() || !request.run.empty();
}

bool take_table(inference::TableRequest& request, const std::filesystem::path& input) {
  if (io::is_table_name(input)) {
    request.table = input;
    return true;
  }
  if (!has_table_options(request)) return false;
  if (input.empty()) fail("expected a table (.csv, .tsv or .jsonl) for the options of its columns");
  fail(io::printable(input.native()),
       " is not a table (.csv, .tsv or .jsonl), expected one for the options of its columns");
}

namespace {

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

/// Returns "epochs" for "--epochs=5".
std::string bare_name(const std::string& argument) {
  const auto first = argument.find_first_not_of('-');
  if (first == std::string::npos) return {};
  return argument.substr(first, argument.find('=') - first);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

std::string did_you_mean(const std::string& text) {
  return concat("did you mean ", text, "? ");
}

/// Suggests a replacement for an unknown option of `command`; "" if there is none. Ends with a
/// space.
std::string suggest_option(const CLI::App& command, const std::string& argument) {
  const auto name = bare_name(argument);
  if (has_option(command, "--set")) {
    const auto setting = config::setting_named(name);
    if (!setting.empty()) return did_you_mean(concat("--set ", setting, "=VALUE"));
  }
  const auto nearest = nearest_name(name, option_names(command));
  if (!nearest.empty()) return did_you_mean("--" + nearest);
  if (has_option(command, "--set")) {
    const auto setting = config::nearest_setting(name);
    if (!setting.empty()) return did_you_mean(concat("--set ", setting, "=VALUE"));
  }
  if (command.get_name() == "launch") return "put -- before the command and its options; ";
  return {};
}

Error unknown_option(const CLI::App& command, const std::string& argument) {
  const auto option = argument.substr(0, argument.find('='));
  const auto path = command_path(command);
  return Error(concat(path, " has no option '", option, "'"),
               concat(suggest_option(command, argument), "see '", path, " --help'"));
}

Error unknown_command(const CLI::App& command, const std::string& argument) {
  const auto path = command_path(command);
  const auto names = command_names(command);
  const auto nearest = nearest_name(argument, names);
  const auto suggestion = nearest.empty() ? concat("commands: ", join(names), "; ")
                                          : did_you_mean(concat("'", path, " ", nearest, "'"));
  return Error(concat(path, " has no command '", argument, "'"),
               concat(suggestion, "see '", path, " --help'"));
}

Error unexpected_argument(const CLI::App& command, const std::string& argument) {
  const auto path = command_path(command);
  const bool data = has_option(command, "--data") && config::names_dataset(argument);
  return Error(concat(path, ": unexpected argument '", argument, "'"),
               concat(data ? did_you_mean("--data " + argument) : "", "see '", path, " --help'"));
}

Error unknown_argument(const CLI::App& command, const std::string& argument) {
  if (looks_like_option(argument)) return unknown_option(command, argument);
  const bool expects_command = !command_names(command).empty();
  return expects_command ? unknown_command(command, argument)
                         : unexpected_argument(command, argument);
}

std::string without_suffix(std::string text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.resize(text.size() - suffix.size());
  return text;
}

/// Rewrites a CLI11 error message.
std::string error_text(const CLI::App& command, const CLI::ParseError& error) {
  const auto path = command_path(command);
  const std::string text = error.what();
  if (error.get_name() == "RequiredError") {
    const auto name = without_suffix(text, " is required");
    const auto* option = command.get_option_no_throw(name);
    return concat(path, " requires ", name, option ? ": " + option->get_description() : "");
  }
  if (error.get_name() == "RequiresError") return concat(path, ": ", text);
  if (error.get_name() == "ExcludesError") {
    const auto split = text.find(" excludes ");
    if (split == std::string::npos) return concat(path, ": ", text);
    return concat(path, " takes ", text.substr(0, split), " or ",
                  text.substr(split + std::string_view(" excludes ").size()), ", not both");
  }
  if (error.get_name() == "ArgumentMismatch") {
    const auto option = text.substr(0, text.find(':'));
    const bool none = text.ends_with("missing") || text.ends_with("received 0");
    return concat(path, ": ", option, none ? " requires a value" : " has too many values");
  }
  return concat(path, ": ", text);
}

}  // namespace

const CLI::App& reached_command(const CLI::App& app) {
  const auto subcommand = app.get_subcommands();
  return subcommand.empty() ? app : reached_command(*subcommand.front());
}

std::string command_path(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return parent ? concat(command_path(*parent), " ", command.get_name()) : command.get_name();
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = reached_command(app);
  // Report an unknown argument first: other errors may only be its consequence.
  for (const CLI::App* at = &app;; at = at->get_subcommands().front()) {
    const auto extra = at->remaining();
    if (!extra.empty()) return unknown_argument(*at, extra.front());
    if (at == &command) break;
  }
  return Error(error_text(command, error), concat("see '", command_path(command), " --help'"));
}

}  // namespace projnce::app
