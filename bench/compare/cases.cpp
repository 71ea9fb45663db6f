#include "bench/compare/cases.h"

#include <algorithm>

namespace projnce::bench {

std::vector<Case> all_cases(Arena& arena) {
  std::vector<Case> all;
  for (const auto make : {supcon_cases, projnce_cases, class_vector_cases, nadaraya_watson_cases,
                          median_cases, mixed_ksg_cases, retrieval_cases}) {
    std::ranges::move(make(arena), std::back_inserter(all));
  }
  return all;
}

}  // namespace projnce::bench
