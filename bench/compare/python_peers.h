#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/compare/contestant.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::bench {

struct PythonPeersOptions {
  /// Folder with checkouts; if empty, only installed packages are used.
  std::filesystem::path directory = {};
  std::filesystem::path python = "script/python";  ///< from the root of the checkout
  int threads = 1;
};

/// Runs the peers' own Python code in one process that sleeps while other contestants run
/// (bench/peers/serve.py). The process starts with the first request.
class PythonPeers {
 public:
  explicit PythonPeers(PythonPeersOptions options) : options_(std::move(options)) {}
  PythonPeers(const PythonPeers&) = delete;
  PythonPeers& operator=(const PythonPeers&) = delete;
  ~PythonPeers();

  /// Returns why `peer` cannot run here; empty if it can.
  std::string why_unavailable(const std::string& peer);

  /// Runs a peer once. The request names files and parameters. Throws the error of the peer.
  Run run(const std::string& peer, const nlohmann::json& request);

 private:
  void start();
  nlohmann::json send(const nlohmann::json& request);

  PythonPeersOptions options_;
  pid_t child_ = -1;
  io::FileDescriptor requests_;
  io::FileDescriptor responses_;
};

}  // namespace projnce::bench
