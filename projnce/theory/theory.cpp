#include "projnce/theory/theory.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "projnce/core/names.h"

namespace projnce::theory {

namespace {

struct TheoryEntry {
  std::string_view id;
  TheoryResult (*run)(const TheoryOptions&);
  bool slow = false;
};

constexpr std::array kTheory = {
    TheoryEntry{"T1", infonce_convergence}, TheoryEntry{"T2", optimal_critic},
    TheoryEntry{"T3", adjustment_term},     TheoryEntry{"T4", supcon_and_projnce},
    TheoryEntry{"T5", extreme_sources},     TheoryEntry{"T6", kernel_regression},
    TheoryEntry{"T7", effect_of_ratio},     TheoryEntry{"T8", trained_encoders, /*slow=*/true}};

bool is_requested(const TheoryEntry& entry, const TheoryRequest& request) {
  if (request.only.empty()) return request.all || !entry.slow;
  return std::find(request.only.begin(), request.only.end(), entry.id) != request.only.end();
}

}  // namespace

std::vector<std::string> experiment_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : kTheory) ids.emplace_back(entry.id);
  return ids;
}

void check_request(const TheoryRequest& request) {
  const auto known = experiment_ids();
  for (const auto& id : request.only) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      fail_unknown("experiment", id, known);
    }
  }
}

std::vector<TheoryResult> run_theory(const TheoryRequest& request,
                                     const std::function<void(const TheoryResult&)>& finished) {
  check_request(request);
  std::vector<TheoryResult> results;
  for (const auto& entry : kTheory) {
    if (!is_requested(entry, request)) continue;
    const auto started = std::chrono::steady_clock::now();
    auto result = entry.run(request.options);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    finished(result);
    results.push_back(std::move(result));
  }
  return results;
}

int64_t violated_claims(const std::vector<TheoryResult>& results) {
  int64_t violated = 0;
  for (const auto& result : results) violated += result.violated();
  return violated;
}

int exit_status(const std::vector<TheoryResult>& results) {
  return violated_claims(results) > 0 ? 1 : 0;
}

}  // namespace projnce::theory
