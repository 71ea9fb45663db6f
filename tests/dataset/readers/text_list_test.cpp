#include "projnce/dataset/readers/tree_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(std::string_view text) {
  testing::DatasetFolder folder;
  folder.write_text("list.txt", text);
  return read_text_list(*folder.tree(), "list.txt").lines;
}

TEST(TextList, AcceptsAllLineEndings) {
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\r\nb \t\r\n\r\n\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\n\n b"), ElementsAre("a", "", " b"));
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\n"),
              ElementsAre("a"));
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n\r\n"), IsEmpty());
}

TEST(TextList, LocationsCountFromOne) {
  testing::DatasetFolder folder;
  folder.write_text("list.txt", "a\nb\n");
  const auto list = read_text_list(*folder.tree(), "list.txt");
  EXPECT_THAT(list.location(1), HasSubstr("data/list.txt:2"));
}

TEST(TextList, EscapesNames) {
  testing::DatasetFolder folder;
  folder.write_text("names.txt", "caf\xE9\nb\n");
  EXPECT_THAT(read_name_list(*folder.tree(), "names.txt"), ElementsAre("caf\\xE9", "b"));
  folder.write_text("names.txt", "\na \n\n  \nb\t\n\n");
  EXPECT_THAT(read_name_list(*folder.tree(), "names.txt", 2), ElementsAre("a", "b"));
  folder.write_text("names.txt", "\n");
  EXPECT_THAT(testing::error_message_of([&] { read_name_list(*folder.tree(), "names.txt"); }),
              HasSubstr("names.txt contains no names"));
}

TEST(TextList, SplitsAtEverySeparator) {
  EXPECT_THAT(split_line("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_line("a,", ','), ElementsAre("a", ""));
  EXPECT_THAT(split_line("", ','), ElementsAre(""));
}

}  // namespace
}  // namespace projnce::dataset
