#pragma once
// For the sources of this folder.

#include <chrono>
#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/join_ranks.h"
#include "projnce/distributed/rank_environment.h"

namespace projnce {

/// How ranks find out, by notes in a store, that all of them came and want the same. Rank 0 checks
/// and writes the verdict. Whoever sees earlier that it cannot work writes it instead: the first
/// verdict counts, and all who came read it and end with it.
class Meeting {
 public:
  /// Refers to all three while it lives.
  Meeting(c10d::Store& store, const RankEnvironment& environment, const JoinOptions& options);

  void hold();

 private:
  std::string arrive_and_judge();
  void wait_for_everybody();
  void compare_texts(int rank);
  bool wait_until(const std::function<bool()>& done);
  std::string conclude(const std::string& verdict);
  void let_others_read();
  [[noreturn]] void fail_late();
  std::string note(const std::string& key);
  void leave_note(const std::string& key, const std::string& text);
  bool has_note(const std::string& key);

  c10d::Store& store_;
  const RankEnvironment& environment_;
  std::vector<std::pair<std::string, std::string>> must_agree_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace projnce
