#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "projnce/distributed/join_ranks.h"
#include "tests/support/scratch_dir.h"

namespace projnce::testing {

/// Ranks of one host that meet by a file in `dir`.
inline distributed::RankEnvironment rank_of(int rank, int world, const ScratchDir& dir) {
  return {.rank = rank,
          .world = world,
          .local_rank = rank,
          .local_world = world,
          .store_file = dir / "store"};
}

/// Runs `action(rank)` for each rank in a thread of its own; returns what each one threw.
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

/// Joins `world` ranks, each a thread of this process, and runs `action` as each of them. Throws
/// what the first of them threw.
inline void as_ranks(int world,
                     const std::function<void(const distributed::ProcessGroupPtr&)>& action) {
  const ScratchDir dir;
  const auto problems = in_threads(world, [&](int rank) {
    const auto ranks = distributed::join_ranks(rank_of(rank, world, dir));
    action(ranks);
    ranks->barrier();  // nobody leaves while another one still works
  });
  for (const auto& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

}  // namespace projnce::testing
