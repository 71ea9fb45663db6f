#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/filesystem/regular_file.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::io {
namespace {

using ::testing::HasSubstr;

class FileRange : public ::testing::Test {
 protected:
  /// Trees of each kind of root, and subtrees of them.
  std::vector<FileTreePtr> trees() {
    folder_.write_text("inner/a.txt", "0123456789");
    return {subtree(folder_.tree(), "inner"), subtree(folder_.packed(), "data/inner")};
  }

  testing::DatasetFolder folder_;
};

TEST_F(FileRange, ReadsPartOfAFile) {
  for (const auto& tree : trees()) {
    EXPECT_EQ(tree->file_size("a.txt"), 10U);
    EXPECT_EQ(as_text(tree->read_range("a.txt", 3, 4).span()), "3456");
    EXPECT_EQ(as_text(tree->read_range("a.txt", 10, 0).span()), "");
  }
}

TEST_F(FileRange, RejectsRangesBeyondTheFile) {
  for (const auto& tree : trees()) {
    for (const uint64_t offset : {uint64_t{8}, uint64_t{11}, UINT64_MAX}) {
      EXPECT_THAT(testing::error_message_of([&] { tree->read_range("a.txt", offset, 3); }),
                  HasSubstr("a.txt has 10 bytes, expected 3 at offset"));
    }
    EXPECT_NE(testing::error_message_of([&] { tree->file_size("b.txt"); }), "nothing was wrong");
    EXPECT_NE(testing::error_message_of([&] { tree->read_range("../x", 0, 1); }),
              "nothing was wrong");
  }
}

}  // namespace
}  // namespace projnce::io
