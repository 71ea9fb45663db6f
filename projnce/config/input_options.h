#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "projnce/augment/input_format.h"
#include "projnce/core/field_visitor.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/encoder/encoder.h"

namespace projnce::config {

/// Input format of the encoder. Zero or empty: inferred from the data.
struct InputOptions {
  SampleKind kind = SampleKind::kImage;
  int64_t image_size = 0;                    ///< images
  int64_t channels = 0;                      ///< images: 1 or 3
  augment::MelOptions mel = {.seconds = 0};  ///< audio
  int64_t vector_size = 0;                   ///< vectors
  std::vector<double> mean =
      {};  ///< images: per channel, for pixels in [0, 1]; otherwise one value
  std::vector<double> std = {};

  encoder::InputShape shape() const;
  augment::InputFormat format() const;       ///< format of loader outputs
  dataset::ClipFormat clip_format() const {  ///< format of decoded audio
    return {.rate = mel.rate, .seconds = mel.seconds};
  }
};

/// Sample kind in a configuration.
enum class InputKind { kAuto, kImage, kAudio, kVector };

/// Section [input]. The allowed fields depend on the kind of the data; missing ones are inferred
/// from the data.
struct InputSettings {
  InputKind kind = InputKind::kAuto;
  std::optional<int64_t> image_size = {};         ///< images
  std::optional<int64_t> channels = {};           ///< images
  std::optional<int64_t> vector_size = {};        ///< vectors
  std::optional<std::vector<double>> mean = {};   ///< see InputOptions
  std::optional<std::vector<double>> std = {};    ///< see InputOptions
  std::optional<augment::MelOptions> audio = {};  ///< audio: section [input.audio]
};

void list_fields(InputSettings& settings, FieldVisitor& fields);

/// Converts settings to options; missing ones become zero or empty.
InputOptions input_options(const InputSettings& settings);

/// Inverse of input_options: complete settings for the kind of the data.
InputSettings input_settings(const InputOptions& options);

/// Infers missing settings from the training samples. Images: the common size if all are square and
/// at most 96, otherwise the median of the shorter side, at most 64; three channels if any sample
/// has color. Audio samples must be spectrograms. Mean and standard deviation are those of the
/// data. Throws if a setting does not apply to the kind of the samples.
InputOptions resolve_input(const InputSettings& settings, const dataset::Dataset& train,
                           int threads);

}  // namespace projnce::config
