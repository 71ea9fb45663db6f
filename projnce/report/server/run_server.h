#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "projnce/core/logging.h"

namespace projnce::report {

/// Generates reports of one run, or comparisons of several. Both functions must be thread-safe; an
/// exception becomes an error response.
struct ReportSource {
  using Runs = std::vector<std::filesystem::path>;

  std::function<std::string(const Runs&)> html;  ///< HTML that requests only `data`
  std::function<std::string(const Runs&)> data;  ///< JSON, polled by the report
  std::string policy;                            ///< Content-Security-Policy of the reports
};

/// Serves the runs of a folder to browsers on this machine.
///
///   /                        the list of runs
///   /run/NAME/               a run's report        /run/NAME/data.json      its data
///   /compare/?run=A&run=B    several runs          /compare/data.json?...   their data
///
/// Listens only on 127.0.0.1 and accepts only GET and HEAD requests whose host is that address or
/// localhost, which prevents DNS rebinding. Writes nothing. NAME is looked up in the list of runs;
/// no part of a URL is used as a file path.
class RunServer {
 public:
  /// Starts listening in its own threads. Port 0 selects a free port. Throws if `runs` is not a
  /// folder or the port is in use.
  RunServer(const std::filesystem::path& runs, int port, ReportSource source, Logger logger);
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;
  /// Ends all connections within two seconds; waits longer only for `source`.
  ~RunServer();

  int port() const;
  /// "http://127.0.0.1:8321/"
  std::string address() const;
  /// Returns false if the listener stopped after a system error.
  bool is_listening() const;

 private:
  class Listener;

  std::unique_ptr<Listener> listener_;
};

}  // namespace projnce::report
