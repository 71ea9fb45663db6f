#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::report {

/// Maximum number of classes of an image.
inline constexpr size_t kMostConfusionClasses = 1000;

/// Renders a confusion matrix as an RGB image. `counts` are numbers of samples [C, C]: rows are
/// true classes, columns are predicted classes. Each row is normalized; correct predictions are
/// blue, errors red. With few classes, cells show percentages; with more than 120, class names are
/// omitted. Names may contain any bytes; without names, classes are shown by number. Throws if
/// there are no classes, more than kMostConfusionClasses, or lengths are inconsistent.
Image confusion_matrix_image(std::span<const int64_t> counts,
                             const std::vector<std::string>& class_names);

}  // namespace projnce::report
