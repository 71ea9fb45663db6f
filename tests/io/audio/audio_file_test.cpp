#include "projnce/io/audio/audio_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "tests/support/audio_files.h"
#include "tests/support/audio_signals.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::Bytes;
using ::testing::ElementsAre;
using testing::encode_float_wav;
using testing::encode_packed_audio;
using testing::encode_wav;
using ::testing::HasSubstr;
using testing::tone;
using testing::wav_header;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string error_about_audio(const Bytes& bytes) {
  return testing::error_message_of([&] { decode_audio(bytes, "yes/a.wav"); });
}

TEST(AudioFile, ScalesSixteenBitSamplesToUnitRange) {
  const auto clip = decode_audio(encode_wav(8000, {0, 16384, -32768, 32767}), "x");
  EXPECT_EQ(clip.rate, 8000);
  EXPECT_THAT(clip.samples, ElementsAre(0.0F, 0.5F, -1.0F, 32767.0F / 32768));
}

TEST(AudioFile, ScalesOtherBitDepthsEqually) {
  auto eight = wav_header(8000, 1, 8, 3);
  for (const int value : {0, 128, 192}) eight.push_back(static_cast<uint8_t>(value));
  EXPECT_THAT(decode_audio(eight, "x").samples, ElementsAre(-1.0F, 0.0F, 0.5F));
  auto twenty_four = wav_header(8000, 1, 24, 6);
  for (const int value : {0, 0, 0x40, 0, 0, 0x80}) {
    twenty_four.push_back(static_cast<uint8_t>(value));
  }
  EXPECT_THAT(decode_audio(twenty_four, "x").samples, ElementsAre(0.5F, -1.0F));
  EXPECT_THAT(decode_audio(encode_float_wav(8000, {0.25F, -3.5F}), "x").samples,
              ElementsAre(0.25F, -3.5F));
}

TEST(AudioFile, AveragesChannels) {
  const auto clip = decode_audio(encode_wav(48000, {16384, 0, -32768, 16384}, 2), "x");
  EXPECT_EQ(clip.rate, 48000);
  EXPECT_THAT(clip.samples, ElementsAre(0.25F, -0.25F));
}

TEST(AudioFile, ReadsClipsLongerThanABlock) {
  std::vector<int16_t> samples(20'001);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<int16_t>(i);
  const auto clip = decode_audio(encode_wav(16000, samples), "x");
  ASSERT_EQ(clip.samples.size(), samples.size());
  for (size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(clip.samples[i], float(i) / 32768) << i;
}

TEST(AudioFile, DecodesCompressedClipsApproximately) {
  const auto audio = tone(16000, 440, 16000);
  for (const auto& [format, tolerance, same_length] :
       {std::tuple{"flac", 1e-4F, true}, {"ogg", 0.05F, true}, {"mp3", 0.0F, false}}) {
    const auto bytes = encode_packed_audio(format, 16000, audio);
    if (bytes.empty() && std::string(format) == "mp3")
      continue;  // not supported by every libsndfile
    ASSERT_FALSE(bytes.empty()) << format;
    const auto clip = decode_audio(bytes, "x");
    EXPECT_EQ(clip.rate, 16000);
    EXPECT_NEAR(double(clip.samples.size()), 16000, same_length ? 0 : 4000) << format;
    for (size_t i = 0; same_length && i < audio.size(); ++i) {
      ASSERT_NEAR(clip.samples[i], audio[i], tolerance) << format << ' ' << i;
    }
  }
}

TEST(AudioFile, RejectsEveryTruncation) {
  const auto audio = tone(8000, 300, 200);
  const auto wav = encode_wav(8000, std::vector<int16_t>(200, 7));
  for (const auto& whole : {wav, encode_packed_audio("flac", 8000, audio)}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<int64_t>(size));
      EXPECT_THAT(error_about_audio(cut), HasSubstr("yes/a.wav ")) << size;
    }
  }
}

TEST(AudioFile, AcceptsPlaceholderLengths) {
  auto bytes = wav_header(8000, 1, 16, 0xFFFFFFFF);
  bytes.insert(bytes.end(), 20, 0);
  EXPECT_EQ(decode_audio(bytes, "x").samples.size(), 10U);
}

TEST(AudioFile, ChangedBytesGiveAClipOrAnError) {
  const auto audio = tone(8000, 300, 100);
  for (const auto& whole :
       {encode_wav(8000, std::vector<int16_t>(50, 9)), encode_packed_audio("flac", 8000, audio),
        encode_packed_audio("ogg", 8000, audio)}) {
    int rejected = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
      auto bytes = whole;
      bytes[at] ^= 0xA5;
      try {
        const auto clip = decode_audio(bytes, "yes/a.wav");
        EXPECT_LE(clip.samples.size(), 100'000U);
      } catch (const Error& error) {
        ++rejected;
        EXPECT_THAT(error.what(), HasSubstr("yes/a.wav ")) << at;
      }
    }
    EXPECT_GT(rejected, 10);
  }
}

TEST(AudioFile, ChecksTheLengthThatFlacDeclares) {
  const auto flac = encode_packed_audio("flac", 8000, tone(8000, 300, 100));
  constexpr size_t kFirstBit = 172;  // of 36 bits
  for (size_t bit = kFirstBit; bit < kFirstBit + 36; ++bit) {
    auto changed = flac;
    changed[bit / 8] ^= static_cast<uint8_t>(0x80U >> bit % 8);
    EXPECT_THAT(error_about_audio(changed), HasSubstr("yes/a.wav is ")) << bit;
  }
  auto shorter = flac;
  shorter[25] = 36;  // of 100 samples
  EXPECT_THAT(error_about_audio(shorter), HasSubstr("declares 36 samples, found 100"));
  auto unknown = flac;
  unknown[25] = 0;
  EXPECT_EQ(decode_audio(unknown, "x").samples.size(), 100U) << "as encoders write to a pipe";
}

TEST(AudioFile, ReportsInvalidValuesWithTheirPosition) {
  EXPECT_THAT(error_about_audio(encode_float_wav(8000, {0, 0, std::nanf("")})),
              AllOf(HasSubstr("nan"), HasSubstr("at sample 2")));
  EXPECT_THAT(error_about_audio(encode_float_wav(8000, {0, -kInfinity})),
              AllOf(HasSubstr("-inf"), HasSubstr("at sample 1")));
  EXPECT_THAT(error_about_audio(encode_float_wav(8000, {1e30F})), HasSubstr("1e+30"));
}

TEST(AudioFile, ReportsEachKindOfInvalidFile) {
  EXPECT_THAT(error_about_audio({}), HasSubstr("yes/a.wav is empty"));
  EXPECT_THAT(error_about_audio(testing::octets_of("hello")), HasSubstr("not WAV"));
  EXPECT_THAT(error_about_audio(testing::octets_of("version https://git-lfs.github.com/spec/v1\n")),
              AllOf(HasSubstr("is a Git LFS pointer"), HasSubstr("git lfs pull")));
  EXPECT_THAT(error_about_audio(encode_wav(8000, {})), HasSubstr("contains no samples"));
  EXPECT_THAT(error_about_audio(encode_wav(99, {1, 2})), HasSubstr("99 Hz"));
  EXPECT_THAT(error_about_audio(encode_wav(768'001, {1, 2})), HasSubstr("expected 100 to"));
  EXPECT_THAT(error_about_audio(encode_wav(8000, std::vector<int16_t>(65), 65)),
              HasSubstr("has 65 channels, expected 1 to 64"));
  auto cut = encode_wav(8000, std::vector<int16_t>(100));
  cut.resize(cut.size() - 50);
  EXPECT_THAT(error_about_audio(cut),
              HasSubstr("truncated: its header declares 200 bytes of samples, found 150"));
}

TEST(AudioFile, RejectsDeclaredLengthsBeyondTheLimit) {
  auto flac = encode_packed_audio("flac", 8000, tone(8000, 300, 100));
  // The number of samples is a 36-bit field that ends at byte 26.
  for (const size_t at : {22U, 23U, 24U, 25U}) flac[at] = 0xFF;
  EXPECT_THAT(error_about_audio(flac), HasSubstr("too long"));
}

TEST(AudioFile, DoesNotBlockOnPipes) {
  const testing::ScratchDir dir;
  ASSERT_EQ(::mkfifo((dir / "a.wav").c_str(), 0600), 0);
  EXPECT_THAT(testing::error_message_of([&] { read_audio(dir / "a.wav", "a.wav"); }),
              HasSubstr("a.wav"));
}

}  // namespace
}  // namespace projnce::io
