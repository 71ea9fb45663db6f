#include "projnce/io/image/orientation.h"

#include <gtest/gtest.h>

#include "projnce/core/seed.h"
#include "tests/support/data_files.h"

namespace projnce::io {
namespace {

using testing::Bytes;
using testing::exif_content;

TEST(Exif, ReadsTheOrientationInBothByteOrders) {
  for (const bool high_byte_first : {false, true}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      EXPECT_EQ(exif_orientation(exif_content(orientation, high_byte_first)), orientation);
    }
  }
}

TEST(Exif, InvalidOrientationsAreUpright) {
  for (const int orientation : {0, 9, 255, 65535}) {
    EXPECT_EQ(exif_orientation(exif_content(orientation, true)), 1);
  }
}

TEST(Exif, OtherAndTruncatedSegmentsAreUpright) {
  EXPECT_EQ(exif_orientation({}), 1);
  EXPECT_EQ(exif_orientation(testing::octets_of("http://ns.adobe.com/xap/1.0/ and so on")), 1);
  const auto whole = exif_content(6, false);
  const size_t value_end = whole.size() - 6;  // followed by padding and the next directory
  for (size_t size = 0; size < value_end; ++size) {
    EXPECT_EQ(exif_orientation(std::span(whole).first(size)), 1) << size;
  }
}

TEST(Exif, DirectoriesOutsideTheSegmentAreUpright) {
  constexpr size_t kOffset = 10;  // of the directory offset, after "Exif", "II" and 42
  for (const uint8_t high : {0x00, 0x7F, 0xFF}) {
    auto bytes = exif_content(6, false);
    bytes[kOffset] = 0xFF;
    bytes[kOffset + 3] = high;
    EXPECT_EQ(exif_orientation(bytes), 1);
  }
}

TEST(Exif, EntriesOfTheWrongTypeAreUpright) {
  auto bytes = exif_content(6, false);
  bytes[bytes.size() - 4 - 10] = 2;  // the second entry's type: text
  EXPECT_EQ(exif_orientation(bytes), 1);
}

TEST(Exif, CorruptBytesGiveAValidOrientation) {
  Random random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    auto bytes = exif_content(6, trial % 2 == 0);
    for (int i = 0; i < 3; ++i) {
      const auto place = 6 + random.below(static_cast<int64_t>(bytes.size()) - 6);
      bytes[static_cast<size_t>(place)] = static_cast<uint8_t>(random.below(256));
    }
    // Exactly the segment's size, so that a sanitizer detects out-of-bounds reads.
    const Bytes exact(bytes.begin(), bytes.end());
    const int orientation = exif_orientation(exact);
    ASSERT_TRUE(orientation >= 1 && orientation <= 8);
  }
}

}  // namespace
}  // namespace projnce::io
