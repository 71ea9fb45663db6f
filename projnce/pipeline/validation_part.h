#pragma once

#include <cstdint>
#include <vector>

#include "projnce/dataset/open_dataset.h"

namespace projnce {

/// Indices of the samples that a validation part of this share takes, ascending: of every class,
/// those whose names have the smallest hashes. Neither the order of the samples nor a seed matters,
/// and adding or removing other samples changes few. A class of two or more samples keeps at least
/// one and gives at least one; a class of one gives none. REQUIRES: 0 < fraction < 1.
std::vector<int64_t> draw_validation(const Dataset& samples, double fraction);

/// Takes the validation part out of the labeled samples of `opened` (and the same samples out of
/// the training part, if that has them under other labels) and returns it. Throws if no class has
/// two samples.
DatasetPtr hold_out_validation(OpenedDataset& opened, double fraction);

}  // namespace projnce
