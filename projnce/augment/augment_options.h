#pragma once

#include <cstdint>

#include "projnce/augment/sound/sound_augment_options.h"
#include "projnce/core/field_visitor.h"

namespace projnce {

/// Random views of a training sample; the defaults for pictures are SupCon's.
struct AugmentOptions {
  int64_t views = 2;              ///< of each sample in a batch, at least 1
  double crop_scale_min = 0.2;    ///< smallest part of the picture's area that a crop keeps
  double crop_scale_max = 1;      ///< largest part of the area
  double crop_aspect_min = 0.75;  ///< smallest width / height of a crop
  double crop_aspect_max = 4.0 / 3;
  double flip_probability = 0.5;
  double jitter_probability = 0.8;  ///< of changing the colours at all
  double brightness = 0.4;          ///< factor drawn from 1 - b .. 1 + b; 0 leaves it
  double contrast = 0.4;
  double saturation = 0.4;
  double hue = 0.1;  ///< shift drawn from -h .. h turns of the colour circle, at most 0.5
  double grayscale_probability = 0.2;
  SoundAugmentOptions sound = {};
};

/// The section [augment]. Throws where a minimum exceeds its maximum.
void list_fields(AugmentOptions& options, FieldVisitor& fields);

}  // namespace projnce
