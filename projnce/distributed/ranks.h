#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace projnce::distributed {

struct RankGroup;
class Ranks;
using RanksPtr = std::shared_ptr<Ranks>;

/// A sum over ranks that is under way. The tensor must not be touched before `wait` returns.
class PendingSum {
 public:
  struct State;
  explicit PendingSum(std::shared_ptr<State> state);  ///< null: nothing is under way

  void wait();

 private:
  std::shared_ptr<State> state_;
};

/// The processes that train together, seen by one of them. All ranks make the same calls in the
/// same order; each call blocks until the others have made theirs. A process alone takes the same
/// calls: they return at once.
///
/// `what` completes the sentence "rank 1 of 4 lost the others while ...", with which a call ends
/// (Fault::kWork) when a rank died or does not answer in time. The group is dead after that.
///
/// Results are the same in every run and on every rank: sums are taken in a fixed order.
class Ranks {
 public:
  /// The group of one.
  static RanksPtr alone();
  /// For `join_ranks`; null is the group of one.
  explicit Ranks(std::shared_ptr<RankGroup> group);
  ~Ranks();

  int rank() const;
  int size() const;
  bool first() const { return rank() == 0; }

  /// Every rank's number, in the order of ranks.
  std::vector<int64_t> gather_counts(int64_t mine, const char* what = "counting rows");

  /// Rows [n_r, ...] of all ranks in their order: [sum of n_r, ...]. `counts` are the n_r, as
  /// `gather_counts` gives them; they may differ and be 0. Alone it returns `mine` itself.
  torch::Tensor gather_rows(const torch::Tensor& mine, const std::vector<int64_t>& counts,
                            const char* what = "gathering rows");

  /// Every rank's tensor of one shape, stacked: [W, ...].
  torch::Tensor gather_stacked(const torch::Tensor& mine, const char* what = "gathering");

  /// The transpose of `gather_rows`: every rank has a tensor [sum of n_r, ...]; returns the sum of
  /// all of them, of which only this rank's rows [n_rank, ...]. Alone it returns `all` itself.
  torch::Tensor scatter_sum(const torch::Tensor& all, const std::vector<int64_t>& counts,
                            const char* what = "summing rows");

  /// Replaces the tensor, of any memory format, by its sum over ranks.
  void sum(torch::Tensor& tensor, const char* what = "summing");

  /// Replaces the tensor by rank 0's.
  void broadcast(torch::Tensor& tensor, const char* what = "taking over what rank 0 has");

  /// Rank 0's text.
  std::string broadcast_text(const std::string& text,
                             const char* what = "taking over what rank 0 has");

  /// Returns when every rank has called it.
  void barrier(const char* what = "waiting for each other");

  /// Starts `sum` of a contiguous tensor and returns before it is done. Ranks must start theirs in
  /// the same order.
  PendingSum start_sum(const torch::Tensor& flat, const char* what = "summing gradients");

 private:
  void sum_small(torch::Tensor& tensor, const char* what);

  std::shared_ptr<RankGroup> group_;
};

}  // namespace projnce::distributed
