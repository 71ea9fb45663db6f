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

/// An all-reduce in flight. The tensor must not be accessed before `wait` returns.
class PendingAllReduce {
 public:
  struct State;
  explicit PendingAllReduce(std::shared_ptr<State> state);  ///< null: nothing to wait for

  void wait();

 private:
  std::shared_ptr<State> state_;
};

/// A group of processes that train together, with the collectives of torch.distributed. All ranks
/// must make the same calls in the same order; each call blocks until the other ranks have made
/// theirs. With a single process, every call returns at once.
///
/// A call throws (ErrorKind::kRuntime) if a rank dies or does not answer before the timeout; `what`
/// completes its message "rank 1 of 4 lost the other ranks while ...". The group is unusable after
/// that.
///
/// Results are deterministic and identical on every rank: sums are taken in a fixed order.
///
/// Tensors on the CPU use Gloo, tensors on CUDA devices NCCL after `use_device`; a call then
/// returns before the device has finished. Tensors on other devices are copied to the CPU and back.
class ProcessGroup {
 public:
  /// Returns a group of one process.
  static ProcessGroupPtr single_process();
  /// Used by `join_ranks`; null makes a group of one process.
  explicit ProcessGroup(std::shared_ptr<ProcessGroupImpl> group);
  ~ProcessGroup();

  int rank() const;
  int size() const;
  bool is_rank_zero() const { return rank() == 0; }

  /// Connects the devices of the ranks, if they are CUDA devices. Throws if this program was built
  /// without NCCL. Collective.
  void use_device(const torch::Device& device);

  /// Returns the value of every rank, in rank order.
  std::vector<int64_t> all_gather_counts(int64_t mine, const char* what = "counting rows");

  /// Concatenates the rows [n_r, ...] of all ranks in rank order: [sum of n_r, ...]. `counts` are
  /// the n_r from `all_gather_counts`; they may differ and be 0. With one process returns `mine`.
  torch::Tensor all_gather_rows(const torch::Tensor& mine, const std::vector<int64_t>& counts,
                                const char* what = "gathering rows");

  /// Stacks the tensors of all ranks, which have the same shape: [W, ...].
  torch::Tensor all_gather(const torch::Tensor& mine, const char* what = "gathering");

  /// Sums the tensors [sum of n_r, ...] of all ranks and returns this rank's rows [n_rank, ...] of
  /// the sum: the transpose of `all_gather_rows`. With one process returns `all`.
  torch::Tensor reduce_scatter(const torch::Tensor& all, const std::vector<int64_t>& counts,
                               const char* what = "summing rows");

  /// Replaces the tensor by its sum over ranks. Accepts any memory format.
  void all_reduce(torch::Tensor& tensor, const char* what = "summing");

  /// Replaces the tensor by rank 0's.
  void broadcast(torch::Tensor& tensor, const char* what = "broadcasting from rank 0");

  /// Returns rank 0's text.
  std::string broadcast_text(const std::string& text,
                             const char* what = "broadcasting from rank 0");

  /// Returns when every rank has called it.
  void barrier(const char* what = "waiting at a barrier");

  /// Starts `all_reduce` of a contiguous tensor without waiting for it. Ranks must start these in
  /// the same order.
  PendingAllReduce start_all_reduce(const torch::Tensor& flat,
                                    const char* what = "summing gradients");

 private:
  void all_reduce_small(torch::Tensor& tensor, const char* what);

  std::shared_ptr<ProcessGroupImpl> group_;
};

}  // namespace projnce::distributed
