#pragma once

#include "projnce/augment/augment_options.h"
#include "projnce/core/image.h"
#include "projnce/core/seed.h"

namespace projnce {

/// SupCon's random crop. Up to ten times: an area fraction uniform in crop_scale_min..max, an
/// aspect ratio log-uniform in crop_aspect_min..max, sides rounded to pixels; if they fit, a
/// uniform place. If none fits: the largest centred box with an allowed aspect ratio.
///
/// Draws, in this order: area and aspect for each attempt, then top and left of the one that fits.
PixelBox random_crop(const AugmentOptions& options, int height, int width, Random& random);

}  // namespace projnce
