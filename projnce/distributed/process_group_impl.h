#pragma once
// For the sources of this folder: the one place that names Gloo's process group.

#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // some builds of LibTorch have Gloo, but do not tell those who use them
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
  c10::intrusive_ptr<c10d::Store> store;  ///< kept alive: others may ask rank 0's
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
  std::atomic<bool> lost = false;  ///< an operation failed: nothing more can be done with the group

  ProcessGroupImpl() = default;
  ProcessGroupImpl(const ProcessGroupImpl&) = delete;
  ProcessGroupImpl& operator=(const ProcessGroupImpl&) = delete;
  /// A group that lost a rank is not closed: that would wait for its unfinished operations.
  ~ProcessGroupImpl() {
    if (lost) static_cast<void>(gloo.release());
  }
};

/// The words of Gloo or its store without the place in their sources and the trace below them.
std::string plain_reason(const std::exception& error);

/// "60 s", "0.3 s"
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace projnce::distributed
