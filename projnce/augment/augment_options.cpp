#include "projnce/augment/augment_options.h"

#include "projnce/core/error.h"

namespace projnce {

namespace {

void check_order(const char* low_name, double low, const char* high_name, double high) {
  if (low > high) {
    fail(Hint{concat("set ", low_name, " to at most ", high, " or raise ", high_name)},
         "[augment] ", low_name, " = ", low, " is above ", high_name, " = ", high);
  }
}

}  // namespace

void list_fields(AugmentOptions& options, FieldVisitor& fields) {
  const Range share{.low = 0, .high = 1, .low_open = true};
  fields.field("views", options.views, between(1, 64))
      .field("crop_scale_min", options.crop_scale_min, share)
      .field("crop_scale_max", options.crop_scale_max, share)
      .field("crop_aspect_min", options.crop_aspect_min, above(0))
      .field("crop_aspect_max", options.crop_aspect_max, above(0))
      .field("flip_probability", options.flip_probability, between(0, 1))
      .field("jitter_probability", options.jitter_probability, between(0, 1))
      .field("brightness", options.brightness, between(0, 1))
      .field("contrast", options.contrast, between(0, 1))
      .field("saturation", options.saturation, between(0, 1))
      .field("hue", options.hue, between(0, 0.5))
      .field("grayscale_probability", options.grayscale_probability, between(0, 1))
      .section("sound", options.sound);
  fields.check([&options] {
    check_order("crop_scale_min", options.crop_scale_min, "crop_scale_max", options.crop_scale_max);
    check_order("crop_aspect_min", options.crop_aspect_min, "crop_aspect_max",
                options.crop_aspect_max);
  });
}

}  // namespace projnce
