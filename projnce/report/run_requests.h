#pragma once

#include <string>
#include <utility>
#include <vector>

#include "projnce/report/run_server.h"

namespace projnce {

/// A decoded request of a browser.
struct HttpRequest {
  std::string method;
  std::string host;  ///< the header of that name
  std::string path;
  std::vector<std::string> runs;  ///< `run=` behind the question mark
  std::string known_version;      ///< If-None-Match
};

struct HttpResponse {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Answers requests about the runs of a folder. Knows nothing of sockets; may be asked from several
/// threads at once.
class RunRequests {
 public:
  /// Throws where `runs` is no folder.
  RunRequests(const std::filesystem::path& runs, ReportSource source, Logger logger);

  /// `port` is the one that the server listens on.
  HttpResponse answer(const HttpRequest& request, int port) const;

 private:
  HttpResponse route(const HttpRequest& request) const;
  HttpResponse index() const;
  HttpResponse runs_answer(const std::vector<std::string>& names, bool wants_data,
                           const HttpRequest& request) const;
  HttpResponse data(const ReportSource::Runs& runs, const std::string& known_version) const;

  std::filesystem::path root_;
  ReportSource source_;
  Logger logger_;
};

}  // namespace projnce
