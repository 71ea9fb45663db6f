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

/// The form in which samples reach the encoder. Zero and empty mean: found out from the data.
struct InputOptions {
  SampleKind kind = SampleKind::kImage;
  int64_t image_size = 0;                    ///< images
  int64_t channels = 0;                      ///< images: 1 or 3
  augment::MelOptions mel = {.seconds = 0};  ///< sounds
  int64_t vector_size = 0;                   ///< vectors
  std::vector<double> mean = {};  ///< images: of each channel, on the scale 0..1; else one number
  std::vector<double> std = {};

  encoder::InputShape shape() const;
  augment::InputFormat format() const;       ///< how loaders write samples
  dataset::ClipFormat clip_format() const {  ///< how sounds are read
    return {.rate = mel.rate, .seconds = mel.seconds};
  }
};

/// The kind of samples that a configuration expects.
enum class InputKind { kAuto, kImage, kSound, kVector };

/// The section [input]. Which fields may be given depends on the kind of the data; what is absent
/// is found out from the data.
struct InputSettings {
  InputKind kind = InputKind::kAuto;
  std::optional<int64_t> image_size = {};         ///< images
  std::optional<int64_t> channels = {};           ///< images
  std::optional<int64_t> vector_size = {};        ///< vectors
  std::optional<std::vector<double>> mean = {};   ///< as of InputOptions
  std::optional<std::vector<double>> std = {};    ///< likewise
  std::optional<augment::MelOptions> sound = {};  ///< sounds: the section [input.sound]
};

void list_fields(InputSettings& settings, FieldVisitor& fields);

/// What is given, the rest zero or empty.
InputOptions input_options(const InputSettings& settings);

/// Settings that give all that matters for the kind.
InputSettings input_settings(const InputOptions& options);

/// Fills in what is not given by looking at the training samples. Images: the common size of
/// small square ones, else the median shorter side, at most 64; three channels as soon as one has
/// color. Sounds come as spectrograms. Mean and deviation are those of the data. Throws where a
/// setting is given that does not apply to the kind of the samples.
InputOptions resolve_input(const InputSettings& settings, const dataset::Dataset& train,
                           int threads);

}  // namespace projnce::config
