#pragma once

#include <string>

#include "projnce/loss/contrast_rows.h"

namespace projnce {

/// Checks what a projection returned for this batch: shape, type, device and layout of each field
/// of `projected`. Throws a sentence that begins with `source`, such as "selfp: projection_pos",
/// and says what was found and what was expected. Strides are free: kernels copy what is not
/// contiguous.
///
/// Values that are not finite are not an error, as in embeddings: the returned batch is `rows`
/// with a `finite_zero` that makes its loss NaN, which trainers skip.
ContrastRows check_projected(ContrastRows rows, const Projected& projected,
                             const std::string& source);

}  // namespace projnce
