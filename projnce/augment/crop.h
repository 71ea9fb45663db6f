#pragma once

#include <cstdint>
#include <span>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/resample.h"
#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::augment {

/// SupCon's random resized crop. Makes up to ten attempts: area fraction uniform in
/// crop_scale_min..max, aspect ratio log-uniform in crop_aspect_min..max, sides rounded to pixels;
/// if the box fits, its position is uniform. If none fits: the largest centered box with an allowed
/// aspect ratio.
///
/// Order of draws: area and aspect ratio for each attempt, then top and left of the one that fits.
PixelBox random_crop(const AugmentOptions& options, int height, int width, Random& random);

// Views depend on the full image size. The functions below compute the region that views read, and
// map coordinates to an image that contains only that region. Views of unreduced regions are
// bit-identical to views of full images.

/// Region that TrainTransform reads for all views with these seeds, given the image size. The
/// allowed reduction leaves each view at least its output resolution, if the image has it.
DecodeRegion train_region(const AugmentOptions& options, int image_size,
                          std::span<const uint64_t> seeds, int height, int width);

/// Region that EvalTransform reads.
DecodeRegion eval_region(int image_size, int height, int width);

/// Central `size` pixels of a side of `length`, after resizing the shorter side to `size`, as in
/// EvalTransform.
ResizeAxis center_crop_axis(int length, int shorter, int size);

/// Maps an axis of the full image to the rows (columns) of a partially decoded image.
ResizeAxis to_window_rows(const Image& image, ResizeAxis axis);
ResizeAxis to_window_columns(const Image& image, ResizeAxis axis);

}  // namespace projnce::augment
