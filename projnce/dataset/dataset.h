#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// Labelled samples, counted from 0. Datasets wrap datasets: a subset, other labels, a cache.
/// All members may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  /// In 0 .. class_names().size() - 1.
  virtual int64_t label(int64_t index) const = 0;
  /// The file's name inside the dataset, or the index where samples have none.
  virtual std::string sample_name(int64_t index) const = 0;
  /// Throws projnce::Error, naming the sample, where it cannot be decoded.
  virtual Image decode(int64_t index) const = 0;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// What a dataset's name stands for: the part to train on and the part to judge by.
struct DatasetSplit {
  DatasetPtr train;
  DatasetPtr test;
};

}  // namespace projnce
