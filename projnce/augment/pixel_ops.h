#pragma once

#include <string>
#include <vector>

#include "projnce/augment/float_image.h"

namespace projnce {

// The colour operations of SupCon's augmentation on values in 0..1, in place. gray = 0.299 R +
// 0.587 G + 0.114 B. A picture of one channel is its own gray: there saturation, hue and grayscale
// change nothing.

/// All channels <- gray.
void make_grayscale(FloatImage& image);
/// x <- clip(factor * x)
void adjust_brightness(FloatImage& image, double factor);
/// x <- clip(factor * x + (1 - factor) * mean(gray))
void adjust_contrast(FloatImage& image, double factor);
/// x <- clip(factor * x + (1 - factor) * gray)
void adjust_saturation(FloatImage& image, double factor);
/// Adds `turns` (any number) to the hue, which counts from 0 to 1 around the colour circle.
void shift_hue(FloatImage& image, double turns);

/// One channel instead of three: the gray.
void reduce_to_gray(FloatImage& image);

std::vector<std::string> pixel_op_names();
/// Applies the operation called `name`; throws a list of the known names where there is none.
void apply_pixel_op(const std::string& name, double factor, FloatImage& image);

}  // namespace projnce
