#include "projnce/augment/audio/mel_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "tests/support/error_message.h"

namespace projnce::augment {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

MelOptions read_mel(const std::string& text) {
  return read_options<MelOptions>(parse_toml(text, "run.toml"), "audio");
}

std::string mel_error(const std::string& text) {
  return testing::error_message_of([&] { read_mel(text); });
}

TEST(MelOptions, AreReadFromATableAndWritten) {
  const auto defaults = read_options<MelOptions>({}, "audio", {.seconds = 6.5});
  EXPECT_EQ(defaults.rate, 16000);
  EXPECT_EQ(defaults.samples(), 104'000);
  EXPECT_EQ(defaults.highest(), 8000);
  EXPECT_TRUE(to_table(defaults).has("scale"));
  const auto options = read_mel("rate = 8000\nscale = \"slaney\"\nhigh = 3000\nhop = 128\n");
  EXPECT_EQ(options.rate, 8000);
  EXPECT_EQ(options.scale, MelScale::kSlaney);
  EXPECT_EQ(options.highest(), 3000);
  EXPECT_EQ(options.frames(), 1 + 8000 / 128);
}

TEST(MelOptions, RejectValuesOutOfRange) {
  EXPECT_THAT(mel_error("rate = 0"), AllOf(HasSubstr("audio"), HasSubstr("rate")));
  EXPECT_EQ(read_mel("seconds = 0").seconds, 0);  // determined from the data
  EXPECT_THROW(check_mel_options({.seconds = 0}, "audio"), Error);
  EXPECT_THAT(mel_error("seconds = 61"), HasSubstr("seconds"));
  EXPECT_THAT(mel_error("fft = 1001"), HasSubstr("even"));
  EXPECT_THAT(mel_error("fft = 256"), HasSubstr("hop = 512"));
  EXPECT_THAT(mel_error("mels = 0"), HasSubstr("mels"));
  EXPECT_THAT(mel_error("high = 8001"), HasSubstr("high = 8001"));
  EXPECT_THAT(mel_error("low = 9000"), HasSubstr("low = 9000"));
  EXPECT_THAT(mel_error("low = 500\nhigh = 500"), HasSubstr("no frequency range"));
  EXPECT_THAT(mel_error("scale = \"bark\""), HasSubstr("scale"));
  EXPECT_THAT(mel_error("bands = 3"), HasSubstr("unknown key"));
}

TEST(MelOptions, HaveUniqueFingerprints) {
  const std::vector<MelOptions> all = {{},
                                       {.rate = 8000},
                                       {.seconds = std::nextafter(1.0, 2.0)},
                                       {.fft = 512},
                                       {.hop = 256},
                                       {.mels = 64},
                                       {.scale = MelScale::kSlaney},
                                       {.low = 1e-9},
                                       {.high = 7999}};
  std::set<std::string> seen;
  for (const auto& options : all) seen.insert(fingerprint(options));
  EXPECT_EQ(seen.size(), all.size());
  EXPECT_EQ(fingerprint({.high = 8000}), fingerprint({}));
}

}  // namespace
}  // namespace projnce::augment
