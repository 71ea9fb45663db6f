#pragma once

#include <vector>

#include "bench/compare/arena.h"
#include "bench/compare/contestant.h"

namespace projnce::bench {

// All comparisons, joined in cases.cpp. REQUIRES: the arena outlives the cases.
std::vector<Case> supcon_cases(Arena& arena);
std::vector<Case> projnce_cases(Arena& arena);
std::vector<Case> class_vector_cases(Arena& arena);
std::vector<Case> nadaraya_watson_cases(Arena& arena);
std::vector<Case> median_cases(Arena& arena);
std::vector<Case> mixed_ksg_cases(Arena& arena);
std::vector<Case> retrieval_cases(Arena& arena);

std::vector<Case> all_cases(Arena& arena);

}  // namespace projnce::bench
