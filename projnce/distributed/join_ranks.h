#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "projnce/distributed/rank_environment.h"
#include "projnce/distributed/ranks.h"

namespace projnce {

struct JoinOptions {
  /// How long ranks wait for each other, when they join and in each operation.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  /// Name and text: the texts must be the same on every rank, such as {"configuration", "..."}.
  std::vector<std::pair<std::string, std::string>> must_agree;
};

/// Waits for the other ranks and joins them; at once where the environment knows of one rank only.
/// Where ranks contradict each other (Fault::kInput) or not all came in time (Fault::kWork), every
/// rank that came throws the same sentence.
RanksPtr join_ranks(const RankEnvironment& environment, const JoinOptions& options = {});

}  // namespace projnce
