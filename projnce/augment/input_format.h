#pragma once

#include <cstddef>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/augment/view_format.h"
#include "projnce/core/sample.h"

namespace projnce {

/// What the model takes, for samples of any kind: pictures as `picture` says; sounds as log-mel
/// spectrograms and vectors as they are, both standardised to (x - mean) / std.
struct InputFormat {
  SampleKind kind = SampleKind::kImage;
  ViewFormat picture = {};  ///< kImage
  MelOptions mel = {};      ///< kSound
  int vector_size = 0;      ///< kVector: numbers in each
  double mean = 0;          ///< kSound, kVector: over all numbers
  double std = 1;           ///< above 0

  static InputFormat pictures(const ViewFormat& format) { return {.picture = format}; }

  int channels() const;
  int height() const;
  int width() const;
  size_t values() const {
    return static_cast<size_t>(channels()) * static_cast<size_t>(height()) *
           static_cast<size_t>(width());
  }
};

/// Throws where a value of the format makes no sense, naming it.
void check_input_format(const InputFormat& format);

}  // namespace projnce
