#include "projnce/augment/audio/mel_options.h"

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"

namespace projnce::augment {

namespace {

constexpr Range kRates = {.low = 1000, .high = 192'000};
constexpr Range kSeconds = {.low = 0, .high = 60, .low_open = true};
constexpr Range kFftSizes = {.low = 16, .high = 16'384};
constexpr Range kMelCounts = {.low = 1, .high = 1024};

void require_within(const std::string& section, const char* key, double value, const Range& range) {
  const bool above_low = range.low_open ? value > range.low : value >= range.low;
  if (above_low && value <= range.high) return;
  fail("[", section, "] ", key, " = ", value, ", expected ", range.low_open ? "above " : "",
       range.low, " to ", range.high);
}

}  // namespace

int64_t MelOptions::samples() const {
  return std::max<int64_t>(1, std::llround(seconds * rate));
}

void check_mel_options(const MelOptions& options, const std::string& section) {
  require_within(section, "rate", options.rate, kRates);
  require_within(section, "seconds", options.seconds, kSeconds);
  require_within(section, "fft", options.fft, kFftSizes);
  if (options.fft % 2 != 0) {
    fail("[", section, "] fft = ", options.fft, ", expected an even number");
  }
  require_within(section, "hop", options.hop, between(1, options.fft));
  require_within(section, "mels", options.mels, kMelCounts);
  require_within(section, "high", options.high, between(0, options.rate / 2.0));
  require_within(section, "low", options.low, between(0, options.highest()));
  if (options.low == options.highest()) {
    fail("[", section, "] low = ", options.low, " leaves no frequency range below ",
         options.highest());
  }
}

void list_fields(MelOptions& options, FieldVisitor& fields) {
  fields.field("rate", options.rate, kRates)
      .field("seconds", options.seconds, between(0, kSeconds.high))
      .field("fft", options.fft, kFftSizes)
      .field("hop", options.hop, between(1, kFftSizes.high))
      .field("mels", options.mels, kMelCounts)
      .choice<MelScale>("scale", options.scale,
                        {{"htk", MelScale::kHtk}, {"slaney", MelScale::kSlaney}})
      .field("low", options.low, at_least(0))
      .field("high", options.high, at_least(0));
  fields.check([&options, section = fields.section_name()] {
    auto checked = options;
    if (checked.seconds == 0) checked.seconds = kSeconds.high;
    check_mel_options(checked, section);
  });
}

std::string fingerprint(const MelOptions& options) {
  const char* scale = options.scale == MelScale::kHtk ? "htk" : "slaney";
  return concat(std::hexfloat, "mel rate=", options.rate, " seconds=", options.seconds,
                " fft=", options.fft, " hop=", options.hop, " mels=", options.mels,
                " scale=", scale, " low=", options.low, " high=", options.highest());
}

}  // namespace projnce::augment
