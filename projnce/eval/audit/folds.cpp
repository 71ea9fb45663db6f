#include "projnce/eval/audit/folds.h"

#include "projnce/core/seed.h"

namespace projnce {

std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t num_classes,
                                      int64_t folds, uint64_t seed) {
  std::vector<std::vector<size_t>> members(static_cast<size_t>(num_classes));
  for (size_t i = 0; i < labels.size(); ++i) members[static_cast<size_t>(labels[i])].push_back(i);
  std::vector<int64_t> fold(labels.size());
  Random random(seed);
  int64_t dealt = 0;  // goes on from class to class, so that small classes fill different folds
  for (auto& rows : members) {
    random.shuffle(rows);
    for (const size_t row : rows) fold[row] = dealt++ % folds;
  }
  return fold;
}

}  // namespace projnce
