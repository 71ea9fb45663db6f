#include "apps/projnce/usage.h"

#include <filesystem>
#include <string_view>

#include "projnce/config/default_config.h"
#include "projnce/config/run_request.h"
#include "projnce/core/names.h"

namespace projnce::app {

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
