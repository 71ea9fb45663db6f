// Mixed KSG compared with the authors' program. No gradient; CPU time, because theirs is
// single-threaded.
#include <torch/types.h>

#include <algorithm>

#include "bench/compare/cases.h"
#include "bench/compare/gradient_run.h"
#include "projnce/information/mixed_ksg.h"

namespace projnce::bench {

namespace {

constexpr int64_t kNeighbors = 5;
constexpr int64_t kQuickRows = 2000;
constexpr int64_t kFullRows = 10000;

std::vector<Contestant> mixed_ksg_contestants(Arena& arena, const Case& task) {
  auto data = make_labeled_rows(task.rows, task.dims, task.classes, /*spread=*/1);
  data.x = unit(data.x).detach();
  const auto y = data.labels.to(torch::kFloat64).unsqueeze(1);  // [N, 1]
  Contestant ours = {.name = "ours", .computes = task.name, .run = [x = data.x, y] {
                       return timed([&] { return information::mixed_ksg(x, y, kNeighbors); });
                     }};
  return {std::move(ours), arena.peer("mixed_KSG", task.name, data, {{"k", kNeighbors}})};
}

}  // namespace

std::vector<Case> mixed_ksg_cases(Arena& arena) {
  auto usual = std::vector{kQuickRows};
  if (arena.options().full_ksg) usual.push_back(kFullRows);
  std::vector<Case> cases;
  for (const auto rows : arena.sizes(usual)) {
    Case task = {.name = "mixed-ksg", .rows = rows, .classes = 10, .note = "CPU time"};
    task.clock = Clock::kCpu;
    task.round_limit = rows > kQuickRows ? 1 : 3;
    task.warm_up = false;
    task.contestants = [&arena, task] { return mixed_ksg_contestants(arena, task); };
    cases.push_back(task);
  }
  return cases;
}

}  // namespace projnce::bench
