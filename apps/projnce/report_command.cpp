#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/report/build/report.h"

namespace projnce::app::report_command {

namespace {

const char* const kSummary = "write an HTML report: one run in detail, or several compared";
const char* const kDetails =
    "  projnce report runs/photos                     writes runs/photos/report.html\n"
    "  projnce report runs/supcon-* runs/projnce-*    compares them, writes runs/report.html\n"
    "  projnce report runs/demo -o demo.html          all runs in a folder\n"
    "\n"
    "The report is one self-contained file: open it, send it, print it. Losses are "
    "compared\n"
    "over seeds, with what differs between the runs as rows. A run that is going on shows as far "
    "as\n"
    "it is. `train` writes the report of its run by itself.";

}  // namespace

void add(CLI::App& app, Context& context) {
  struct Arguments {
    report::ReportRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  auto* command = add_command(app, "report", kSummary, kDetails);
  command->add_option("RUN", request.runs, "directories of runs, or folders that hold some")
      ->required();
  command->add_option(
      "-o,--output", request.output,
      "file to write (default: RUN/report.html; of several runs: report.html beside them)");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    arguments->request.context = open_context(context);
    const auto result = report::report_runs(arguments->request, context.logger);
    if (arguments->json) return print_json(result);
    std::cout << fmt::format(
        "{} of {} run(s), {:.1f} MB\n", result.at("files")[0].get<std::string>(),
        result.at("runs").get<size_t>(), result.at("bytes").get<double>() / 1e6);
  });
}

}  // namespace projnce::app::report_command
