#include "projnce/augment/augment_options.h"

#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

constexpr Range kFraction = {.low = 0, .high = 1};
constexpr Range kDecibels = {.low = -60, .high = 120};

void check_decibels(const char* what, double low, double high) {
  if (low <= high) return;
  fail(Hint{concat("set ", what, "_db_min to at most ", high, " or raise ", what, "_db_max")},
       "[augment.audio] ", what, "_db_min = ", low, " is above ", what, "_db_max = ", high);
}

}  // namespace

void list_fields(AudioAugmentOptions& options, FieldVisitor& fields) {
  fields.field("time_shift", options.time_shift, kFraction)
      .field("gain_db", options.gain_db, between(0, 60))
      .field("noise_probability", options.noise_probability, kFraction)
      .field("noise_db_min", options.noise_db_min, kDecibels)
      .field("noise_db_max", options.noise_db_max, kDecibels)
      .field("background_probability", options.background_probability, kFraction)
      .field("background_db_min", options.background_db_min, kDecibels)
      .field("background_db_max", options.background_db_max, kDecibels)
      .field("time_mask", options.time_mask, kFraction)
      .field("frequency_mask", options.frequency_mask, kFraction);
  fields.check([&options] {
    check_decibels("noise", options.noise_db_min, options.noise_db_max);
    check_decibels("background", options.background_db_min, options.background_db_max);
  });
}

namespace {

void check_order(const char* low_name, double low, const char* high_name, double high) {
  if (low > high) {
    fail(Hint{concat("set ", low_name, " to at most ", high, " or raise ", high_name)},
         "[augment] ", low_name, " = ", low, " is above ", high_name, " = ", high);
  }
}

}  // namespace

void list_fields(AugmentOptions& options, FieldVisitor& fields) {
  const Range fraction{.low = 0, .high = 1, .low_open = true};
  fields.field("views", options.views, between(1, 64))
      .field("crop_scale_min", options.crop_scale_min, fraction)
      .field("crop_scale_max", options.crop_scale_max, fraction)
      .field("crop_aspect_min", options.crop_aspect_min, above(0))
      .field("crop_aspect_max", options.crop_aspect_max, above(0))
      .field("flip_probability", options.flip_probability, between(0, 1))
      .field("jitter_probability", options.jitter_probability, between(0, 1))
      .field("brightness", options.brightness, between(0, 1))
      .field("contrast", options.contrast, between(0, 1))
      .field("saturation", options.saturation, between(0, 1))
      .field("hue", options.hue, between(0, 0.5))
      .field("grayscale_probability", options.grayscale_probability, between(0, 1))
      .renamed("sound", "audio")
      .section("audio", options.audio);
  fields.check([&options] {
    check_order("crop_scale_min", options.crop_scale_min, "crop_scale_max", options.crop_scale_max);
    check_order("crop_aspect_min", options.crop_aspect_min, "crop_aspect_max",
                options.crop_aspect_max);
  });
}

}  // namespace projnce::augment
