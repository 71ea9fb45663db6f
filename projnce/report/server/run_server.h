#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "projnce/core/logging.h"

namespace projnce::report {

/// Who makes the reports of runs: one run, or several side by side. Both functions are called from
/// several threads at once; what they throw becomes an answer that says so.
struct ReportSource {
  using Runs = std::vector<std::filesystem::path>;

  std::function<std::string(const Runs&)> html;  ///< HTML that needs nothing but `data`
  std::function<std::string(const Runs&)> data;  ///< JSON, of which the report may ask for news
  std::string policy;                            ///< Content-Security-Policy of the reports
};

/// Shows the runs of a folder to browsers on this machine.
///
///   /                        the list of runs
///   /run/NAME/               a run's report        /run/NAME/data.json      its data
///   /compare/?run=A&run=B    several runs          /compare/data.json?...   their data
///
/// It listens on 127.0.0.1 alone, answers GET and HEAD alone, and only to who calls it by that
/// address or as localhost, so that no site from elsewhere can have its name resolved to it. It
/// writes nothing. A NAME is looked up in the list of runs; nothing out of an address becomes a
/// path.
class RunServer {
 public:
  /// Listens from now on, in threads of its own. Port 0 takes one that is free. Throws where
  /// `runs` is no folder or the port is taken.
  RunServer(const std::filesystem::path& runs, int port, ReportSource source, Logger logger);
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;
  /// Waits for answers under way; connections that say nothing end in two seconds at most.
  ~RunServer();

  int port() const;
  /// "http://127.0.0.1:8321/"
  std::string address() const;
  /// False where the system ended it.
  bool is_listening() const;

 private:
  class Listener;

  std::unique_ptr<Listener> listener_;
};

}  // namespace projnce::report
