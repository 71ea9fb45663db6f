#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The label of every sample.
std::vector<int64_t> labels_of(const Dataset& dataset);

/// How many samples each class has; nothing where there are no classes.
std::vector<int64_t> class_counts(const Dataset& dataset);

/// Throws unless the training part `train` has samples of two classes or more.
void check_two_classes(const Dataset& train);

}  // namespace projnce
