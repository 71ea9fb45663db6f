#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/golden/loss_cases.h"
#include "projnce/io/filesystem/regular_file.h"

namespace projnce::app::loss_command {

namespace {

const char* const kSummary = "compute loss values and gradients for the cases in a JSON file";
const char* const kDetails =
    "  projnce loss supcon.json                     print values and gradients as JSON\n"
    "  projnce loss supcon.json --check             compare with the expected values in the file\n"
    "  projnce loss supcon.json --dtype float32     compute in single precision";

struct Arguments {
  std::string file;
  std::string dtype = "float64";
  bool check = false;
  bool json = false;

  torch::Dtype torch_dtype() const {
    return dtype == "float32" ? torch::kFloat32 : torch::kFloat64;
  }
};

nlohmann::json read_json(const std::string& path) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  return parse_json(io::read_text_file(path, kMostBytes), path);
}

/// Largest error of one field over all cases, relative to its tolerance.
struct WorstError {
  golden::FieldError error;
  int64_t cases = 0;
  int64_t failed = 0;

  double relative_error() const {
    return error.allowed > 0 ? error.error / error.allowed : error.error;
  }
};

std::map<std::string, WorstError> worst_by_field(const std::vector<golden::FieldError>& errors) {
  std::map<std::string, WorstError> worst;
  for (const auto& error : errors) {
    auto& field = worst[error.field];
    const WorstError candidate{.error = error};
    if (field.cases == 0 || candidate.relative_error() > field.relative_error())
      field.error = error;
    ++field.cases;
    field.failed += error.passed() ? 0 : 1;
  }
  return worst;
}

nlohmann::ordered_json to_json(const std::map<std::string, WorstError>& worst) {
  auto fields = nlohmann::ordered_json::object();
  for (const auto& [name, field] : worst) {
    fields[name] = {{"error", field.error.error},
                    {"allowed", field.error.allowed},
                    {"case", field.error.id},
                    {"cases", field.cases},
                    {"failed", field.failed}};
  }
  return {{"fields", std::move(fields)}};
}

void print(const std::map<std::string, WorstError>& worst) {
  std::cout << fmt::format("{:<20} {:>12} {:>12}  {:>12}  case\n", "field", "error", "allowed",
                           "failed");
  for (const auto& [name, field] : worst) {
    std::cout << fmt::format("{:<20} {:>12.3g} {:>12.3g}  {:>12}  {}\n", name, field.error.error,
                             field.error.allowed,
                             fmt::format("{} of {}", field.failed, field.cases), field.error.id);
  }
}

void check(const Arguments& arguments, const nlohmann::json& file, const nlohmann::json& results) {
  const auto worst =
      worst_by_field(golden::check_loss_cases(file, results, arguments.torch_dtype()));
  if (arguments.json) {
    std::cout << to_json(worst) << "\n";
  } else {
    print(worst);
  }
  int64_t failed = 0;
  for (const auto& [name, field] : worst) failed += field.failed;
  if (failed > 0) {
    fail_runtime(arguments.file, ": ", counted(failed, "value differs", "values differ"),
                 " from the expected one by more than the tolerance");
  }
}

void run(const Arguments& arguments) {
  const auto file = read_json(arguments.file);
  try {
    const auto results = golden::evaluate_loss_cases(file, arguments.torch_dtype());
    if (arguments.check) return check(arguments, file, results);
    std::cout << results << "\n";
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kRuntime) throw;
    throw Error(concat(arguments.file, ": ", error.what()), error.hint());
  }
}

}  // namespace

void add(CLI::App& app, Context& /*context*/) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "loss", kSummary, kDetails);
  command->add_option("FILE", arguments->file, "JSON file of loss cases")->required();
  add_choice(*command, "--dtype", arguments->dtype, {"float64", "float32"},
             "precision of the computation");
  command->add_flag("--check", arguments->check,
                    "compare with the expected values; print the largest error of each field");
  command->add_flag("--json", arguments->json, "print JSON (always on without --check)");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace projnce::app::loss_command
