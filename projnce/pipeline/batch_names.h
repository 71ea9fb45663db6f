#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/loader/batch.h"

namespace projnce {

/// The names of a batch's samples, those with values that are no numbers first and marked.
std::vector<std::string> batch_names(const Batch& batch, const Dataset& samples);

}  // namespace projnce
