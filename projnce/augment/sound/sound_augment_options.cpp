#include "projnce/augment/sound/sound_augment_options.h"

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr Range kShare = {.low = 0, .high = 1};
constexpr Range kDecibels = {.low = -60, .high = 120};

void check_decibels(const char* what, double low, double high) {
  if (low <= high) return;
  fail(Hint{concat("set ", what, "_db_min to at most ", high, " or raise ", what, "_db_max")},
       "[augment.sound] ", what, "_db_min = ", low, " is above ", what, "_db_max = ", high);
}

}  // namespace

void list_fields(SoundAugmentOptions& options, FieldVisitor& fields) {
  fields.field("time_shift", options.time_shift, kShare)
      .field("gain_db", options.gain_db, between(0, 60))
      .field("noise_probability", options.noise_probability, kShare)
      .field("noise_db_min", options.noise_db_min, kDecibels)
      .field("noise_db_max", options.noise_db_max, kDecibels)
      .field("background_probability", options.background_probability, kShare)
      .field("background_db_min", options.background_db_min, kDecibels)
      .field("background_db_max", options.background_db_max, kDecibels)
      .field("time_mask", options.time_mask, kShare)
      .field("frequency_mask", options.frequency_mask, kShare);
  fields.check([&options] {
    check_decibels("noise", options.noise_db_min, options.noise_db_max);
    check_decibels("background", options.background_db_min, options.background_db_max);
  });
}

}  // namespace projnce
