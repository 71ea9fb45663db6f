#include "projnce/dataset/corrections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/tensor/npy.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;

constexpr const char* kTable =
    "id,text,y\r\na,\"one, two\",cat\r\nb,  three ,dog\r\nc,\"4\"\"\",cat\r\nd,five,dog\r\n";

class CorrectionsTest : public ::testing::Test {
 protected:
  LabeledTable table(const std::string& text = kTable, const std::string& file = "t.csv") {
    io::write_file_atomically(dir_ / file, text);
    return read_labeled_table(dir_ / file, {.label = "y", .id = "id"});
  }

  std::vector<Correction> read(const std::string& text, const LabeledTable& table,
                               UncheckedIssues unchecked = UncheckedIssues::kReject) {
    io::write_file_atomically(dir_ / "c.csv", text);
    return read_corrections(dir_ / "c.csv", corrected_samples(table), unchecked);
  }

  /// The corrected table.
  std::string apply(const std::string& corrections, const LabeledTable& table,
                    UncheckedIssues unchecked = UncheckedIssues::kReject) {
    counts_ = write_corrected_table(dir_ / "out", table, read(corrections, table, unchecked));
    return contents(dir_ / "out");
  }

  std::string error_about(const std::string& corrections,
                          UncheckedIssues unchecked = UncheckedIssues::kReject) {
    const auto corrected = table();
    return error_message_of([&] { read(corrections, corrected, unchecked); });
  }

  testing::ScratchDir dir_;
  CorrectionCounts counts_;
};

TEST_F(CorrectionsTest, KeptRowsAreCopiedAndOthersRelabeledOrDropped) {
  EXPECT_EQ(apply("row,action,label\n2,relabel,dog\n1,drop,\n0,keep,\n", table()),
            "id,text,y\r\na,\"one, two\",cat\r\nc,\"4\"\"\",dog\r\nd,five,dog\r\n");
  EXPECT_EQ(counts_.kept, 2);
  EXPECT_EQ(counts_.relabeled, 1);
  EXPECT_EQ(counts_.dropped, 1);
  EXPECT_EQ(apply("row,action\n0,\n", table()), kTable);
}

TEST_F(CorrectionsTest, RowsAreFoundByIdToo) {
  EXPECT_THAT(apply("id,action,label\nd,relabel,cat\n", table()), HasSubstr("d,five,cat\r\n"));
  EXPECT_THAT(apply("row,id,given_label,action\n3,d,dog,drop\n", table()), Not(HasSubstr("five")));
}

TEST_F(CorrectionsTest, JsonKeepsTypesAndOrder) {
  const std::string text =
      "{\"id\": 1, \"y\": 0, \"v\": [1.5]}\n{\"y\": 7, \"id\": 2}\n{\"id\":3,\"y\":\"x\"}\n";
  EXPECT_EQ(apply("row,action,label\n0,relabel,7\n2,relabel,0\n", table(text, "t.jsonl")),
            "{\"id\":1,\"y\":7,\"v\":[1.5]}\n{\"y\": 7, \"id\": 2}\n{\"id\":3,\"y\":\"0\"}\n");
}

TEST_F(CorrectionsTest, IssuesOfAnAuditAreAppliedOnRequest) {
  const std::string issues =
      "row,given_label,predicted_label,label_quality,is_label_issue\n"
      "0,cat,cat,0.9,false\n1,dog,cat,0.1,true\n2,cat,cat,0.8,false\n3,dog,dog,0.7,false\n";
  EXPECT_THAT(apply(issues, table(), UncheckedIssues::kDrop), Not(HasSubstr("three")));
  EXPECT_THAT(apply(issues, table(), UncheckedIssues::kRelabel), HasSubstr("  three ,cat\r\n"));
  EXPECT_EQ(counts_.relabeled, 1);
  EXPECT_THAT(error_about(issues), AllOf(HasSubstr("'action'"), HasSubstr("--issues")));
  EXPECT_THAT(
      error_about("row,is_label_issue,predicted_label\n0,yes,cat\n", UncheckedIssues::kDrop),
      AllOf(HasSubstr("c.csv:2"), HasSubstr("'yes'"), HasSubstr("true or false")));
}

TEST_F(CorrectionsTest, BadCorrectionsAreRejectedWithTheirLine) {
  EXPECT_THAT(error_about("action\ndrop\n"), AllOf(HasSubstr("c.csv"), HasSubstr("'row'")));
  EXPECT_THAT(
      error_about("row,action\n0,keep\n1,remove\n"),
      AllOf(HasSubstr("c.csv:3"), HasSubstr("'remove'"), HasSubstr("keep, relabel or drop")));
  for (const std::string row : {"4", "-1", "x", "", "1.0"}) {
    EXPECT_THAT(error_about("row,action\n" + row + ",drop\n"),
                AllOf(HasSubstr("c.csv:2"), HasSubstr("0 to 3")))
        << row;
  }
  EXPECT_THAT(error_about("row,action\n1,drop\n1,keep\n"),
              AllOf(HasSubstr("c.csv:3"), HasSubstr("again after"), HasSubstr("c.csv:2")));
  EXPECT_THAT(error_about("id,action\nz,drop\n"), AllOf(HasSubstr("c.csv:2"), HasSubstr("'z'")));
}

TEST_F(CorrectionsTest, NewLabelsAreLabelsOfTheTable) {
  EXPECT_THAT(error_about("row,action,label\n0,relabel,dgo\n"),
              AllOf(HasSubstr("c.csv:2"), HasSubstr("'dgo'"), HasSubstr("did you mean 'dog'")));
  EXPECT_THAT(error_about("row,action,label\n0,relabel,\n"), HasSubstr("without a label"));
  EXPECT_THAT(error_about("row,action\n0,relabel\n"), HasSubstr("no column 'label'"));
}

TEST_F(CorrectionsTest, CorrectionsOfAnotherVersionAreRejected) {
  EXPECT_THAT(error_about("row,given_label,action\n0,dog,drop\n"),
              AllOf(HasSubstr("c.csv:2"), HasSubstr("'cat'"), HasSubstr("expected 'dog'"),
                    HasSubstr("another version")));
  EXPECT_THAT(error_about("row,id,action\n0,b,drop\n"),
              AllOf(HasSubstr("c.csv:2"), HasSubstr("'a'"), HasSubstr("another version")));
}

TEST_F(CorrectionsTest, TheFingerprintIsThatOfTheTable) {
  const auto version = table().version();
  EXPECT_EQ(version.size(), 32);
  EXPECT_THAT(apply("row,action,data_version\n0,drop," + version + "\n", table()),
              Not(HasSubstr("one, two")));
  EXPECT_THAT(error_about("row,action,data_version\n0,drop," + std::string(32, '0') + "\n"),
              AllOf(HasSubstr("c.csv:2"), HasSubstr("fingerprint"), HasSubstr(version),
                    HasSubstr("another version")));
  EXPECT_NE(table("id,text,y\na,1,cat\nb,2,dog\n").version(), version);
}

TEST_F(CorrectionsTest, LabelIssuesOfARunAreAppliedOnRequest) {
  const CorrectedSamples samples{.name = "photos",
                                 .labels = {"cat", "dog"},
                                 .class_names = {"cat", "dog"},
                                 .name_column = "sample",
                                 .names = {"cat/1.jpg", "=x/2.jpg"}};
  io::write_file_atomically(dir_ / "i.csv",
                            "index,sample,given,suggested,score,split\n"
                            "1,'=x/2.jpg,dog,cat,0.9,train\n0,cat/1.jpg,cat,cat,0.5,test\n");
  const auto corrections = read_corrections(dir_ / "i.csv", samples, UncheckedIssues::kRelabel);
  ASSERT_EQ(corrections.size(), 2);
  EXPECT_EQ(corrections[0].row, 1);
  EXPECT_EQ(corrections[0].action, CorrectionAction::kRelabel);
  EXPECT_EQ(corrections[0].label, "cat");
  EXPECT_EQ(corrections[1].action, CorrectionAction::kKeep);
}

TEST_F(CorrectionsTest, AllVotesOfARowAreRelabeled) {
  io::write_file_atomically(dir_ / "v.jsonl",
                            "{\"a\": \"x\", \"b\": null, \"c\": [\"x\", \"y\"]}\n"
                            "{\"a\": \"y\", \"b\": \"y\", \"c\": []}\n");
  const auto voted = read_labeled_table(dir_ / "v.jsonl", {.votes = {"a", "b", "c"}});
  EXPECT_THAT(voted.votes, ElementsAre(3, 2));
  EXPECT_THAT(voted.agreeing_votes, ElementsAre(2, 2));
  EXPECT_EQ(voted.label_of(0), "x");
  EXPECT_EQ(apply("row,action,label\n0,relabel,y\n", voted),
            "{\"a\":\"y\",\"b\":null,\"c\":\"y\"}\n"
            "{\"a\": \"y\", \"b\": \"y\", \"c\": []}\n");
}

TEST_F(CorrectionsTest, ATableWithoutRowsIsNotWritten) {
  const auto corrected = table();
  const auto all = read("row,action\n0,drop\n1,drop\n2,drop\n3,drop\n", corrected);
  EXPECT_THAT(error_message_of([&] { write_corrected_table(dir_ / "out", corrected, all); }),
              HasSubstr("drop every row"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(CorrectionsTest, EmbeddingsOfDroppedRowsAreRemoved) {
  const auto corrected = table();
  const auto corrections = read("row,action,label\n0,drop,\n1,relabel,cat\n3,drop,\n", corrected);
  io::write_npy(dir_ / "e.npy", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  write_remaining_rows(dir_ / "out.npy", dir_ / "e.npy", corrected, corrections);
  const auto file = io::read_npy(dir_ / "out.npy");
  EXPECT_THAT(file.array.shape, ElementsAre(2, 2));
  std::vector<float> values(4);
  io::for_each_value<float>(file.array, [&](size_t i, float value) { values[i] = value; });
  EXPECT_THAT(values, ElementsAre(3, 4, 5, 6));
  io::write_npy(dir_ / "short.npy", std::vector<float>{1, 2, 3, 4}, {2, 2});
  EXPECT_THAT(error_message_of([&] {
                write_remaining_rows(dir_ / "x.npy", dir_ / "short.npy", corrected, corrections);
              }),
              AllOf(HasSubstr("short.npy"), HasSubstr("4 rows")));
}

}  // namespace
}  // namespace projnce::dataset
