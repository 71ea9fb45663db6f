#include "projnce/dataset/readers/labeled_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;

class LabeledTableTest : public ::testing::Test {
 protected:
  LabeledTable read(const std::string& text, const TableColumns& columns,
                    const std::string& file = "t.csv") {
    io::write_file_atomically(dir_ / file, text);
    return read_labeled_table(dir_ / file, columns);
  }

  std::string error_about(const std::string& text, const TableColumns& columns) {
    return error_message_of([&] { read(text, columns); });
  }

  std::string embedding_error_about(const std::string& text, const TableColumns& columns = {}) {
    return error_message_of([&] { read_embedding_columns(read(text, columns)); });
  }

  testing::ScratchDir dir_;
};

TEST_F(LabeledTableTest, ClassesAreSortedAsTextOrAsNumbers) {
  const auto words = read("y\nten\none\nten\n", {.label = "y"});
  EXPECT_THAT(words.class_names, ElementsAre("one", "ten"));
  EXPECT_THAT(words.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(read("y\n10\n9\n-1\n10\n", {.label = "y"}).class_names, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(read("y\n10\n9\nx\n", {.label = "y"}).class_names, ElementsAre("10", "9", "x"));
  EXPECT_THAT(read("y\n01\n1\n", {.label = "y"}).class_names, ElementsAre("01", "1"));
}

TEST_F(LabeledTableTest, NamesIdsTextsAndFilesOfRows) {
  const auto table = read("key,y,said,file\nk7,a,hello,img/1.png\nk8,b,bye,img/2.png\n",
                          {.label = "y", .text = "said", .image = "file", .id = "key"});
  EXPECT_EQ(table.id_of(1), "k8");
  EXPECT_EQ(table.text_of(table.columns.text, 0), "hello");
  EXPECT_EQ(table.file_of(1), dir_ / "img/2.png");
  const auto plain = read("y\na\nb\n", {.label = "y"});
  EXPECT_EQ(plain.id_of(1), "1");
  EXPECT_EQ(plain.text_of(plain.columns.text, 0), "");
}

TEST_F(LabeledTableTest, MissingColumnsLabelsAndIdsAreRejected) {
  EXPECT_THAT(error_about("a,b\n1,2\n", {.label = "label"}),
              AllOf(HasSubstr("'label'"), HasSubstr("a, b")));
  EXPECT_THAT(error_about("a,b\n1,2\n", {.text = "said"}), HasSubstr("'said'"));
  EXPECT_THAT(error_about("y,t\na,1\n,2\n", {.label = "y"}),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("no label"), HasSubstr("'y'")));
  EXPECT_THAT(error_about("i,y\nk,a\nl,b\nk,a\n", {.label = "y", .id = "i"}),
              AllOf(HasSubstr("t.csv:4"), HasSubstr("'k'"), HasSubstr("t.csv:2")));
  EXPECT_THAT(error_about("i,y\n,a\nl,b\n", {.label = "y", .id = "i"}),
              AllOf(HasSubstr("t.csv:2"), HasSubstr("no id")));
}

TEST_F(LabeledTableTest, AColumnOfIdsIsNotAColumnOfLabels) {
  std::string text = "y\n";
  for (int i = 0; i < 10'001; ++i) text += std::to_string(i) + "\n";
  EXPECT_THAT(error_about(text, {.label = "y"}),
              AllOf(HasSubstr("t.csv:10002"), HasSubstr("more than 10000")));
}

TEST_F(LabeledTableTest, EmbeddingsAreNumberedColumnsInOrder) {
  const auto table = read("embedding_1,y,embedding_0,embedding_10\n1,a,0.5,+3\n-2e1,b,7,4\n", {});
  const auto vectors = read_embedding_columns(table);
  EXPECT_EQ(vectors.dimensions, 3);
  EXPECT_THAT(vectors.values, ElementsAre(0.5F, 1.0F, 3.0F, 7.0F, -20.0F, 4.0F));
}

TEST_F(LabeledTableTest, EmbeddingColumnsAreChosenByName) {
  const std::string text = "e0,e1,x,y\n1,2,3,4\n5,6,7,8\n";
  EXPECT_THAT(read_embedding_columns(read(text, {.embedding = {"e"}})).values,
              ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(read_embedding_columns(read(text, {.embedding = {"y", "x"}})).values,
              ElementsAre(4, 3, 8, 7));
}

TEST_F(LabeledTableTest, EmbeddingsMayBeArrays) {
  const auto csv = read("embedding,y\n\"[1, 2.5]\",a\n\"[3,-4]\",b\n", {});
  EXPECT_THAT(read_embedding_columns(csv).values, ElementsAre(1, 2.5, 3, -4));
  const auto json = read("{\"v\":[1,2],\"y\":\"a\"}\n{\"v\":[3,4],\"y\":\"b\"}\n",
                         {.embedding = {"v"}}, "t.jsonl");
  EXPECT_THAT(read_embedding_columns(json).values, ElementsAre(1, 2, 3, 4));
}

TEST_F(LabeledTableTest, BadEmbeddingsAreRejectedWithLineAndColumn) {
  EXPECT_THAT(embedding_error_about("a,b\n1,2\n"), HasSubstr("no column 'embedding'"));
  EXPECT_THAT(embedding_error_about("a,b\n1,2\n", {.embedding = {"v"}}), HasSubstr("'v'"));
  for (const std::string value : {"x", "", "nan", "inf", "1e99", "1 2", "[1", "0x10"}) {
    EXPECT_THAT(embedding_error_about("e0,e1\n1,2\n3," + value + "\n", {.embedding = {"e"}}),
                AllOf(HasSubstr("t.csv:3"), HasSubstr("'e1'"), HasSubstr("finite")))
        << value;
  }
  EXPECT_THAT(embedding_error_about("embedding\n\"[1,2]\"\n[3]\n"),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("1 numbers"), HasSubstr("expected 2")));
  EXPECT_THAT(embedding_error_about("e_1,e1\n1,2\n", {.embedding = {"e"}}),
              HasSubstr("two columns with the number 1"));
}

}  // namespace
}  // namespace projnce::dataset
