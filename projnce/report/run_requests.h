#pragma once

#include <string>
#include <utility>
#include <vector>

#include "projnce/report/run_server.h"

namespace projnce {

/// What a browser asks for, decoded.
struct RunRequest {
  std::string method;
  std::string host;  ///< the header of that name
  std::string path;
  std::vector<std::string> runs;  ///< `run=` behind the question mark
  std::string known_version;      ///< If-None-Match
};

struct RunAnswer {
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
  RunRequests(const std::filesystem::path& runs, PageSource source, Logger logger);

  /// `port` is the one that the server listens on.
  RunAnswer answer(const RunRequest& request, int port) const;

 private:
  RunAnswer route(const RunRequest& request) const;
  RunAnswer index() const;
  RunAnswer runs_answer(const std::vector<std::string>& names, bool wants_data,
                        const RunRequest& request) const;
  RunAnswer data(const PageSource::Runs& runs, const std::string& known_version) const;

  std::filesystem::path root_;
  PageSource source_;
  Logger logger_;
};

}  // namespace projnce
