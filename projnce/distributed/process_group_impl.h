#pragma once
// Internal to this folder: the only header that includes Gloo's process group.

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // some LibTorch builds contain Gloo but do not export this definition
#endif
#include <torch/types.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace projnce::distributed {

struct ProcessGroupImpl {
  int rank = 0;
  int world = 1;
  std::chrono::milliseconds timeout{};
  c10::intrusive_ptr<c10d::Store> store;  ///< kept alive: other ranks may still query rank 0's
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
  c10::intrusive_ptr<c10d::Backend> nccl;  ///< null unless the ranks use CUDA devices
  std::atomic<bool> lost = false;          ///< an operation failed and the group is unusable

  ProcessGroupImpl() = default;
  ProcessGroupImpl(const ProcessGroupImpl&) = delete;
  ProcessGroupImpl& operator=(const ProcessGroupImpl&) = delete;
  /// Leaks a group that lost a rank: closing it would wait for its unfinished operations.
  ~ProcessGroupImpl() {
    if (!lost) return;
    static_cast<void>(gloo.release());
    static_cast<void>(nccl.release());
  }

  /// The backend for tensors on the device of `tensor`.
  c10d::Backend& backend(const torch::Tensor& tensor) const {
    if (tensor.is_cuda()) return *nccl;
    return *gloo;
  }
};

/// Sets `group.nccl`. Throws (ErrorKind::kInput) if this program was built without NCCL.
void connect_nccl(ProcessGroupImpl& group, const torch::Device& device);

/// Returns the message of a Gloo or store error without its source location and backtrace.
std::string first_line_of(const std::exception& error);

/// Formats a duration as "60 s" or "0.3 s".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace projnce::distributed
