#pragma once

#include "projnce/core/field_visitor.h"

namespace projnce {

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

}  // namespace projnce
