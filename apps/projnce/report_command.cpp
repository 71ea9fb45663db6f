#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/report/build/report.h"

#include "projnce/core/counted.h"

namespace projnce::app::report_command {

namespace {

const char* const kSummary = "write an HTML report of one run, or a comparison of several";
const char* const kDetails =
    "  projnce report runs/photos                     write runs/photos/report.html\n"
    "  projnce report runs/supcon-* runs/projnce-*    compare them, write runs/report.html\n"
    "  projnce report runs/demo -o demo.html          all runs in a folder\n"
    "\n"
    "The report is one self-contained file. A comparison aggregates each loss over its seeds,\n"
    "with the settings that differ between runs as rows. A run in progress is shown up to its\n"
    "last logged step. `train` writes the report of its own run.";

nlohmann::ordered_json to_json(const report::ReportResult& result) {
  return {{"runs", result.runs},
          {"bytes", result.bytes},
          {"files", nlohmann::ordered_json::array({result.file.string()})}};
}

}  // namespace

void add(CLI::App& app, Context& context) {
  struct Arguments {
    report::ReportRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto* command = add_command(app, "report", kSummary, kDetails);
  command->add_option("RUN", request.runs, "directories of runs, or folders that contain runs")
      ->required();
  command->add_option(
      "-o,--output", request.output,
      "file to write (default: RUN/report.html; for several runs: report.html next to them)");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    arguments->request.context = open_context(context);
    const auto result = report::report_runs(arguments->request, context.logger);
    if (arguments->json) return print_json(to_json(result));
    std::cout << fmt::format("{}: {}, {:.1f} MB\n", result.file.string(),
                             counted(result.runs, "run"), static_cast<double>(result.bytes) / 1e6);
  });
}

}  // namespace projnce::app::report_command
