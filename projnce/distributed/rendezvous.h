// For the sources of this folder.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/join_ranks.h"

namespace projnce::distributed {

/// Where ranks leave each other notes before they are connected: a file, or a server of rank 0 or
/// of the launcher. The server listens on all interfaces and asks nobody for a name, so ranks of
/// one host should meet by a file.
c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment,
                                           std::chrono::milliseconds timeout);

/// The address of this host on the way to another, in digits. The host's own name is no help:
/// Debian gives it an address that no other host can reach.
std::string local_address_toward(const std::string& host, int port);

/// How ranks find out, by notes in a store, that all of them came and want the same. Rank 0 checks
/// and writes the verdict. Whoever sees earlier that it cannot work writes it instead: the first
/// verdict counts, and all who came read it and end with it.
class Rendezvous {
 public:
  /// Refers to all three while it lives.
  Rendezvous(c10d::Store& store, const RankEnvironment& environment, const JoinOptions& options);

  void run();

 private:
  std::string check_in();
  void wait_for_all_ranks();
  void compare_texts(int rank);
  bool wait_until(const std::function<bool()>& done);
  std::string conclude(const std::string& verdict);
  void wait_for_readers();
  [[noreturn]] void fail_late();
  std::string note(const std::string& key);
  void set_key(const std::string& key, const std::string& text);
  bool has_key(const std::string& key);

  c10d::Store& store_;
  const RankEnvironment& environment_;
  std::vector<std::pair<std::string, std::string>> must_agree_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace projnce::distributed
