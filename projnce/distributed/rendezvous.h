// Internal to this folder.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/join_ranks.h"

namespace projnce::distributed {

/// Opens the key-value store that ranks share before they are connected: a file, or a TCP server
/// run by rank 0 or the launcher. The server listens on all interfaces without authentication, so
/// ranks of a single host should use a file.
c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment,
                                           std::chrono::milliseconds timeout);

/// Returns the numeric address of the local interface that routes to `host`. The local host name
/// cannot be used: Debian maps it to an address that no other host can reach.
std::string local_address_toward(const std::string& host, int port);

/// Checks through a store that all ranks have arrived and agree on their configuration. Rank 0
/// compares and writes the verdict. Any rank that detects an error earlier may write it instead:
/// the first verdict counts, and every rank reads it and fails with it.
class Rendezvous {
 public:
  /// Keeps references to `store` and `environment`.
  Rendezvous(c10d::Store& store, const RankEnvironment& environment, const JoinOptions& options);

  void run();

 private:
  std::string check_in();
  void wait_for_all_ranks();
  void compare_texts(int rank);
  bool wait_until(const std::function<bool()>& done);
  std::string conclude(const std::string& verdict);
  void wait_for_readers();
  [[noreturn]] void fail_timeout();
  std::string get_key(const std::string& key);
  void set_key(const std::string& key, const std::string& text);
  bool has_key(const std::string& key);

  c10d::Store& store_;
  const RankEnvironment& environment_;
  std::vector<std::pair<std::string, std::string>> must_agree_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace projnce::distributed
