#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "projnce/distributed/join_ranks.h"
#include "tests/support/scratch_dir.h"

namespace projnce::testing {

/// Options of ranks on one host with a file rendezvous in `dir`.
inline distributed::RankEnvironment rank_of(int rank, int world, const ScratchDir& dir) {
  return {.rank = rank,
          .world = world,
          .local_rank = rank,
          .local_world = world,
          .store_file = dir / "store"};
}

/// Runs `action(rank)` in one thread per rank. Returns the exception of each rank.
inline std::vector<std::exception_ptr> in_threads(int ranks,
                                                  const std::function<void(int)>& action) {
  std::vector<std::exception_ptr> problems(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        action(rank);
      } catch (...) {
        problems[static_cast<size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return problems;
}

/// Creates a process group of `world` threads and runs `action` on each rank. Rethrows the first
/// exception.
inline void as_ranks(int world,
                     const std::function<void(const distributed::ProcessGroupPtr&)>& action) {
  const ScratchDir dir;
  const auto problems = in_threads(world, [&](int rank) {
    const auto ranks = distributed::join_ranks(rank_of(rank, world, dir));
    action(ranks);
    ranks->barrier();  // wait until all ranks are done
  });
  for (const auto& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

}  // namespace projnce::testing
