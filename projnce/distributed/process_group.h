#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace projnce::distributed {

struct ProcessGroupImpl;
class ProcessGroup;
using ProcessGroupPtr = std::shared_ptr<ProcessGroup>;

/// A sum over ranks that is under way. The tensor must not be touched before `wait` returns.
class PendingAllReduce {
 public:
  struct State;
  explicit PendingAllReduce(std::shared_ptr<State> state);  ///< null: nothing is under way

  void wait();

 private:
  std::shared_ptr<State> state_;
};

/// The processes that train together, seen by one of them. All ranks make the same calls in the
/// same order; each call blocks until the others have made theirs. A process alone takes the same
/// calls: they return at once.
///
/// `what` completes the sentence "rank 1 of 4 lost the others while ...", with which a call ends
/// (Fault::kRuntime) when a rank died or does not answer in time. The group is dead after that.
///
/// Results are the same in every run and on every rank: sums are taken in a fixed order.
class ProcessGroup {
 public:
  /// The group of one.
  static ProcessGroupPtr single_process();
  /// For `join_ranks`; null is the group of one.
  explicit ProcessGroup(std::shared_ptr<ProcessGroupImpl> group);
  ~ProcessGroup();

  int rank() const;
  int size() const;
  bool is_rank_zero() const { return rank() == 0; }

  /// Every rank's number, in the order of ranks.
  std::vector<int64_t> all_gather_counts(int64_t mine, const char* what = "counting rows");

  /// Rows [n_r, ...] of all ranks in their order: [sum of n_r, ...]. `counts` are the n_r, as
  /// `all_gather_counts` gives them; they may differ and be 0. Alone it returns `mine` itself.
  torch::Tensor all_gather_rows(const torch::Tensor& mine, const std::vector<int64_t>& counts,
                                const char* what = "gathering rows");

  /// Every rank's tensor of one shape, stacked: [W, ...].
  torch::Tensor all_gather(const torch::Tensor& mine, const char* what = "gathering");

  /// The transpose of `all_gather_rows`: every rank has a tensor [sum of n_r, ...]; returns the sum
  /// of all of them, of which only this rank's rows [n_rank, ...]. Alone it returns `all` itself.
  torch::Tensor reduce_scatter(const torch::Tensor& all, const std::vector<int64_t>& counts,
                               const char* what = "summing rows");

  /// Replaces the tensor, of any memory format, by its sum over ranks.
  void all_reduce(torch::Tensor& tensor, const char* what = "summing");

  /// Replaces the tensor by rank 0's.
  void broadcast(torch::Tensor& tensor, const char* what = "taking over what rank 0 has");

  /// Rank 0's text.
  std::string broadcast_text(const std::string& text,
                             const char* what = "taking over what rank 0 has");

  /// Returns when every rank has called it.
  void barrier(const char* what = "waiting for each other");

  /// Starts `sum` of a contiguous tensor and returns before it is done. Ranks must start theirs in
  /// the same order.
  PendingAllReduce start_all_reduce(const torch::Tensor& flat,
                                    const char* what = "summing gradients");

 private:
  void sum_small(torch::Tensor& tensor, const char* what);

  std::shared_ptr<ProcessGroupImpl> group_;
};

}  // namespace projnce::distributed
