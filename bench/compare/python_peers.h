#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/compare/contestant.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::bench {

struct PythonPeersOptions {
  /// Holds the checkouts; empty: only peers that are installed packages.
  std::filesystem::path directory = {};
  std::filesystem::path python = "script/python";  ///< from the root of the checkout
  int threads = 1;
};

/// The peers' own Python code, in one process that waits for work while others have their turn
/// (bench/peers/serve.py). It starts with the first question.
class PythonPeers {
 public:
  explicit PythonPeers(PythonPeersOptions options) : options_(std::move(options)) {}
  PythonPeers(const PythonPeers&) = delete;
  PythonPeers& operator=(const PythonPeers&) = delete;
  ~PythonPeers();

  /// Why `peer` cannot run here; empty if it can.
  std::string why_unavailable(const std::string& peer);

  /// One run of it; throws what it complains about. The request names files and parameters.
  Run run(const std::string& peer, const nlohmann::json& request);

 private:
  void start();
  nlohmann::json ask(const nlohmann::json& request);

  PythonPeersOptions options_;
  pid_t child_ = -1;
  io::FileDescriptor requests_;
  io::FileDescriptor answers_;
};

}  // namespace projnce::bench
