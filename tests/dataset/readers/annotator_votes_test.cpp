#include "projnce/dataset/readers/annotator_votes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;

class AnnotatorVotesTest : public ::testing::Test {
 protected:
  MajorityLabels count(const std::string& text, const std::vector<std::string>& columns,
                       const char* file = "v.csv") {
    io::write_file_atomically(dir_ / file, text);
    return count_votes(io::read_table(dir_ / file), columns);
  }

  testing::ScratchDir dir_;
};

TEST_F(AnnotatorVotesTest, TheLabelWithMostVotesWins) {
  const auto majority = count("a,b,c\nx,y,y\nx,,\n,z,z\n", {"a", "b", "c"});
  EXPECT_THAT(majority.labels, ElementsAre("y", "x", "z"));
  EXPECT_THAT(majority.votes, ElementsAre(3, 1, 2));
  EXPECT_THAT(majority.agreeing, ElementsAre(2, 1, 2));
}

TEST_F(AnnotatorVotesTest, TiesAreDecidedByTheWholeTableThenByTheLabel) {
  EXPECT_THAT(count("a,b\nx,y\ny,y\n", {"a", "b"}).labels, ElementsAre("y", "y"));
  EXPECT_THAT(count("a,b\ny,x\n", {"a", "b"}).labels, ElementsAre("x"));
}

TEST_F(AnnotatorVotesTest, ArraysHoldSeveralVotes) {
  const auto majority =
      count("{\"v\": [\"b\", 2, \"b\", null]}\n{\"v\": \"c\"}\n{\"v\": [7]}\n", {"v"}, "v.jsonl");
  EXPECT_THAT(majority.labels, ElementsAre("b", "c", "7"));
  EXPECT_THAT(majority.votes, ElementsAre(3, 1, 1));
}

TEST_F(AnnotatorVotesTest, RowsWithoutVotesAndBadArraysAreRejectedWithTheirLine) {
  EXPECT_THAT(error_message_of([&] {
                count("a,b\nx,y\n,\n", {"a", "b"});
              }),
              AllOf(HasSubstr("v.csv:3"), HasSubstr("--votes")));
  EXPECT_THAT(error_message_of([&] { count("a\n[x\n", {"a"}); }),
              AllOf(HasSubstr("v.csv:2"), HasSubstr("'a'"), HasSubstr("JSON array")));
  EXPECT_THAT(error_message_of([&] { count("{\"v\": [[1]]}\n", {"v"}, "v.jsonl"); }),
              HasSubstr("JSON array"));
  EXPECT_THAT(error_message_of([&] { count("a\nx\n", {"b"}); }), HasSubstr("'b'"));
}

}  // namespace
}  // namespace projnce::dataset
