#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// Classes that a picture of their confusion shows at most.
inline constexpr size_t kConfusionClasses = 1000;

/// Which class is taken for which, RGB. `counts` are samples [C, C]: rows are true classes, columns
/// what they were taken for. Each row is shown as shares of its samples; what is right is blue,
/// what is wrong red. Few classes show percentages in their cells; over 120 stand without names.
/// Names may hold any bytes; where there are none, classes are called by number. Throws where there
/// are no classes, more than kConfusionClasses, or the lengths do not fit.
Image confusion_picture(std::span<const int64_t> counts,
                        const std::vector<std::string>& class_names);

}  // namespace projnce
