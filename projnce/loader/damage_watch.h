#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/logging.h"
#include "projnce/dataset/corrupt_limit.h"

namespace projnce {

/// Keeps count of samples that turn out to be damaged while batches are made of them. Large
/// datasets are not decoded before training starts, so this is where their damage shows: such a
/// sample is left out of its batch, named once, and too many of them stop the run. May be used from
/// several threads at once.
class DamageWatch {
 public:
  /// `samples`: of the dataset. `logger` may be null: then nothing is said.
  DamageWatch(int64_t samples, Logger logger, const CorruptLimit& limit = {});

  /// Notes that sample `index` could not be decoded. Throws where that makes too many, or where the
  /// error is not about the input.
  void skip(int64_t index, const Error& error);

  int64_t skipped() const;
  std::vector<int64_t> damaged() const;

 private:
  int64_t samples_;
  Logger logger_;
  CorruptLimit limit_;
  mutable std::mutex mutex_;
  std::set<int64_t> damaged_;
};

}  // namespace projnce
