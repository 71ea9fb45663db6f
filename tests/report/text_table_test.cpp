#include "projnce/report/text_table.h"

#include <gtest/gtest.h>

namespace projnce::report {
namespace {

TEST(TextTable, AlignsColumnsByCharactersAndEndsLinesWithoutSpaces) {
  EXPECT_EQ(text_table({{"", "nats"}, {"β = 1", "1.0 ± 0.1", "x"}, {"long name", "2"}}),
            "           nats\n"
            "β = 1      1.0 ± 0.1  x\n"
            "long name  2\n");
}

TEST(TextTable, MayBeEmpty) {
  EXPECT_EQ(text_table({}), "");
  EXPECT_EQ(text_table({{}, {""}}), "\n\n");
}

}  // namespace
}  // namespace projnce::report
