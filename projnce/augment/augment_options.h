#pragma once

#include <cstdint>

#include "projnce/core/field_visitor.h"

namespace projnce::augment {

/// Random augmentation of audio clips. 0 disables an operation.
struct AudioAugmentOptions {
  double time_shift = 0.1;              ///< maximum shift as a fraction of the length; zero-padded
  double gain_db = 6;                   ///< maximum gain change in either direction
  double noise_probability = 0.5;       ///< of adding white noise
  double noise_db_min = 10;             ///< minimum signal-to-noise ratio
  double noise_db_max = 40;             ///< maximum signal-to-noise ratio
  double background_probability = 0.5;  ///< of adding background noise, if there are any
  double background_db_min = 5;         ///< minimum signal-to-background ratio
  double background_db_max = 30;        ///< maximum signal-to-background ratio
  double time_mask = 0.1;               ///< maximum fraction of masked frames
  double frequency_mask = 0.1;          ///< maximum fraction of masked frequency bands
};

/// The section [augment.audio]. Throws if a minimum exceeds its maximum.
void list_fields(AudioAugmentOptions& options, FieldVisitor& fields);

/// Random augmentation of training samples; defaults for images are SupCon's.
struct AugmentOptions {
  int64_t views = 2;              ///< number of views per sample; at least 1
  double crop_scale_min = 0.2;    ///< minimum area of a crop as a fraction of the image area
  double crop_scale_max = 1;      ///< maximum area fraction
  double crop_aspect_min = 0.75;  ///< minimum aspect ratio (width / height) of a crop
  double crop_aspect_max = 4.0 / 3;
  double flip_probability = 0.5;
  double jitter_probability = 0.8;  ///< probability of color jitter
  double brightness = 0.4;          ///< factor drawn from [1 - b, 1 + b]; 0 disables it
  double contrast = 0.4;
  double saturation = 0.4;
  double hue = 0.1;  ///< hue shift drawn from [-h, h] turns of the color circle; at most 0.5
  double grayscale_probability = 0.2;
  AudioAugmentOptions audio = {};
};

/// The section [augment]. Throws if a minimum exceeds its maximum.
void list_fields(AugmentOptions& options, FieldVisitor& fields);

}  // namespace projnce::augment
