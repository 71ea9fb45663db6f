#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::report {

/// Largest number of classes of an image.
inline constexpr size_t kMostConfusionClasses = 1000;

/// The confusion matrix as an RGB image. `counts` are samples [C, C]: rows are true classes,
/// columns predicted ones. Each row is shown as shares of its samples; correct predictions are
/// blue, wrong ones red. Few classes show percentages in their cells; more than 120 are not named.
/// Names may hold any bytes; without names, classes are called by number. Throws if there are no
/// classes, more than kMostConfusionClasses, or the lengths do not fit.
Image confusion_matrix_image(std::span<const int64_t> counts,
                             const std::vector<std::string>& class_names);

}  // namespace projnce::report
