#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/error.h"
#include "projnce/report/build/report_writer.h"

namespace projnce::app::serve_command {

namespace {

const char* const kSummary = "serve reports of runs to a local browser, live during training";
const char* const kDetails =
    "  projnce serve runs                  list the runs at http://127.0.0.1:8321/\n"
    "  projnce serve runs/photos --port 0  one run, on any free port\n"
    "\n"
    "The server only accepts local connections and writes no files. From another machine, forward\n"
    "the port with ssh: ssh -L 8321:localhost:8321 HOST\n"
    "Press Ctrl-C to stop.";
constexpr int kDefaultPort = 8321;

struct Arguments {
  std::filesystem::path runs;
  int port = kDefaultPort;
};

void run(const Arguments& arguments, Context& context) {
  catch_stop_signals();
  const report::RunServer server(arguments.runs, arguments.port, report::make_report_source(),
                                 context.logger);
  std::cerr << "serving " << arguments.runs.string() << " at " << server.address()
            << "  (press Ctrl-C to stop)" << std::endl;
  while (stop_signal() == 0) {
    if (!server.is_listening()) fail_runtime("the server stopped listening: its socket was closed");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "serve", kSummary, kDetails);
  command->add_option("RUNS", arguments->runs, "folder of runs, or one run")->required();
  add_number(*command, "--port", arguments->port, between(0, 65535),
             "port on 127.0.0.1; 0: any free port");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app::serve_command
