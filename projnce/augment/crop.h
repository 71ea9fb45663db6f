#pragma once

#include <cstdint>
#include <span>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/resample.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::augment {

/// SupCon's random crop. Up to ten times: an area fraction uniform in crop_scale_min..max, an
/// aspect ratio log-uniform in crop_aspect_min..max, sides rounded to pixels; if they fit, a
/// uniform place. If none fits: the largest centered box with an allowed aspect ratio.
///
/// Draws, in this order: area and aspect for each attempt, then top and left of the one that fits.
PixelBox random_crop(const AugmentOptions& options, int height, int width, Random& random);

// Views are decided by an image's full size; these say which part of it they look at, and find it
// again in an image that holds no more than that part. Views of unreduced parts have the same bits
// as views of whole images.

/// What TrainTransform looks at for all views with these seeds together, of an image of this size.
/// No view gets fewer pixels than it has itself, if the image has them.
DecodeRegion train_region(const AugmentOptions& options, int image_size,
                          std::span<const uint64_t> seeds, int height, int width);

/// What EvalTransform looks at.
DecodeRegion eval_region(int image_size, int height, int width);

/// EvalTransform's middle `size` pixels of a side of `length`, when the shorter side becomes
/// `size`.
ResizeAxis middle_axis(int length, int shorter, int size);

/// An axis of the full image, in the rows (columns) that `image` has of it.
ResizeAxis in_rows_of(const Image& image, ResizeAxis axis);
ResizeAxis in_columns_of(const Image& image, ResizeAxis axis);

}  // namespace projnce::augment
