#pragma once

#include <cstdint>

#include "projnce/core/field_visitor.h"

namespace projnce::augment {

/// Random views of a training sound. Zero switches a part off.
struct SoundAugmentOptions {
  double time_shift = 0.1;         ///< largest shift, as a share of the length; zeros come in
  double gain_db = 6;              ///< loudness changes by up to this, both ways
  double noise_probability = 0.5;  ///< of white noise
  double noise_db_min = 10;        ///< how far the noise is below the sound
  double noise_db_max = 40;
  double background_probability = 0.5;  ///< of a background sound, where the dataset has any
  double background_db_min = 5;         ///< how far the background is below the sound
  double background_db_max = 30;
  double time_mask = 0.1;       ///< largest share of the moments that are blanked
  double frequency_mask = 0.1;  ///< largest share of the bands that are blanked
};

/// The section [augment.sound]. Throws where a minimum exceeds its maximum.
void list_fields(SoundAugmentOptions& options, FieldVisitor& fields);

/// Random views of a training sample; the defaults for images are SupCon's.
struct AugmentOptions {
  int64_t views = 2;              ///< of each sample in a batch, at least 1
  double crop_scale_min = 0.2;    ///< smallest part of the image's area that a crop keeps
  double crop_scale_max = 1;      ///< largest part of the area
  double crop_aspect_min = 0.75;  ///< smallest width / height of a crop
  double crop_aspect_max = 4.0 / 3;
  double flip_probability = 0.5;
  double jitter_probability = 0.8;  ///< of changing the colors at all
  double brightness = 0.4;          ///< factor drawn from 1 - b .. 1 + b; 0 leaves it
  double contrast = 0.4;
  double saturation = 0.4;
  double hue = 0.1;  ///< shift drawn from -h .. h turns of the color circle, at most 0.5
  double grayscale_probability = 0.2;
  SoundAugmentOptions sound = {};
};

/// The section [augment]. Throws where a minimum exceeds its maximum.
void list_fields(AugmentOptions& options, FieldVisitor& fields);

}  // namespace projnce::augment
