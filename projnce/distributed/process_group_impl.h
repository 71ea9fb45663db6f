#pragma once
// Internal to this folder: the only header that includes Gloo's process group.

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // some LibTorch builds contain Gloo but do not export this definition
#endif
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
  std::atomic<bool> lost = false;  ///< an operation failed and the group is unusable

  ProcessGroupImpl() = default;
  ProcessGroupImpl(const ProcessGroupImpl&) = delete;
  ProcessGroupImpl& operator=(const ProcessGroupImpl&) = delete;
  /// Leaks a group that lost a rank: closing it would wait for its unfinished operations.
  ~ProcessGroupImpl() {
    if (lost) static_cast<void>(gloo.release());
  }
};

/// Returns the message of a Gloo or store error without its source location and backtrace.
std::string first_line_of(const std::exception& error);

/// Formats a duration as "60 s" or "0.3 s".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace projnce::distributed
