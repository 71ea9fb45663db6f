#pragma once

#include <cstdint>
#include <vector>

#include "projnce/augment/input_format.h"
#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/prepared_clips.h"
#include "projnce/encoder/encoder.h"

namespace projnce {

/// The form in which samples reach the encoder. Zero and empty mean: found out from the data.
struct InputOptions {
  SampleKind kind = SampleKind::kImage;
  int64_t image_size = 0;           ///< pictures
  int64_t channels = 0;             ///< pictures: 1 or 3
  MelOptions mel = {.seconds = 0};  ///< sounds
  int64_t vector_size = 0;          ///< vectors
  std::vector<double> mean = {};  ///< pictures: of each channel, on the scale 0..1; else one number
  std::vector<double> std = {};

  InputShape shape() const;
  InputFormat format() const;       ///< how loaders write samples
  ClipFormat clip_format() const {  ///< how sounds are read
    return {.rate = mel.rate, .seconds = mel.seconds};
  }
};

/// Reads [input]. Which fields matter depends on the kind of the data:
///
///   kind = "auto"           "image", "sound" or "vector"
///   image_size, channels    pictures
///   vector_size             vectors
///   mean, std
///   [input.sound]           see MelOptions
InputOptions read_input_options(Table& table);

/// Fills in what is not given by looking at the training samples, and writes what matters for their
/// kind into the table. Pictures: the common size of small square ones, else the median shorter
/// side, at most 64; three channels as soon as one has colour. Sounds come as spectrograms. Mean
/// and deviation are those of the data.
InputOptions resolve_input(Table& table, const Dataset& train, int threads);

}  // namespace projnce
