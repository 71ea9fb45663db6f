#pragma once

#include <cstdint>
#include <optional>

#include "projnce/augment/input_format.h"
#include "projnce/dataset/dataset.h"
#include "projnce/loader/batch.h"
#include "projnce/loader/ordered_prefetcher.h"

namespace projnce {

struct EvalLoaderOptions {
  int64_t batch_size = 256;  ///< at least 1
  InputFormat format = {};   ///< the pixel order is not looked at: batches are channels-last
  int64_t threads = 1;       ///< that make batches, besides the caller's; at least 1
  int64_t prefetch = 4;      ///< batches held or being made ahead of `next`; at least 1
  /// Notes damaged samples, which are left out; it outlives the loader. Null: they throw.
  DamageWatch* damage = nullptr;
};

/// One pass over a dataset in the order of its samples: one view each, nothing random. Starts at
/// once, in threads ahead of the consumer. Batches say which samples they hold. Use from one
/// thread.
class EvalLoader {
 public:
  EvalLoader(DatasetPtr dataset, const EvalLoaderOptions& options);

  /// The next batch, or nothing at the end. Throws where a sample, or too many, are damaged.
  std::optional<Batch> next() { return prefetcher_.next(); }

 private:
  OrderedPrefetcher<Batch> prefetcher_;
};

}  // namespace projnce
