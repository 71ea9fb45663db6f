#include "projnce/io/table/data_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

class DataTableTest : public ::testing::Test {
 protected:
  DataTable read(const std::string& text, const std::string& file = "t.csv",
                 const TableLimits& limits = {}) {
    write_file_atomically(dir_ / file, text);
    return read_table(dir_ / file, limits);
  }

  std::string error_about(const std::string& text, const std::string& file = "t.csv",
                          const TableLimits& limits = {}) {
    return error_message_of([&] { read(text, file, limits); });
  }

  /// All fields, row by row.
  static std::vector<std::string> fields_of(const DataTable& table) {
    std::vector<std::string> fields;
    for (int64_t row = 0; row < table.size(); ++row) {
      for (size_t c = 0; c < table.columns().size(); ++c) fields.emplace_back(table.field(row, c));
    }
    return fields;
  }

  ScratchDir dir_;
};

TEST_F(DataTableTest, ReadsFieldsLinesAndRecords) {
  const auto table = read("id,text\na,one two\nb,\n");
  EXPECT_THAT(table.columns(), ElementsAre("id", "text"));
  EXPECT_THAT(fields_of(table), ElementsAre("a", "one two", "b", ""));
  EXPECT_THAT(table.location(1), HasSubstr("t.csv:3"));
  EXPECT_EQ(table.header(), "id,text\n");
  EXPECT_EQ(table.record(0), "a,one two");
  EXPECT_EQ(table.column("text"), 1U);
  EXPECT_FALSE(table.find_column("label"));
}

TEST_F(DataTableTest, ReadsQuotedFieldsWithSeparatorsQuotesAndLineBreaks) {
  const auto table = read("id,text\n1,\"a, \"\"b\"\"\nc\"\n2,5\" disk\n\"\",\"\"\"\"\n");
  EXPECT_THAT(fields_of(table), ElementsAre("1", "a, \"b\"\nc", "2", "5\" disk", "", "\""));
  EXPECT_THAT(table.location(1), HasSubstr("t.csv:4"));
  EXPECT_EQ(table.record(0), "1,\"a, \"\"b\"\"\nc\"");
}

TEST_F(DataTableTest, LineBreaksByteOrderMarkAndBlankLinesDoNotMatter) {
  const std::vector<std::string> expected = {"1", "x", "2", "y"};
  for (const std::string text : {"a,b\n1,x\n2,y", "a,b\r\n1,x\r\n2,y\r\n", "a,b\r1,x\r2,y\r",
                                 "\xEF\xBB\xBF"
                                 "a,b\n1,x\n2,y\n",
                                 "\n\na,b\n\n1,x\n\r\n2,y\n\n"}) {
    const auto table = read(text);
    EXPECT_THAT(table.columns(), ElementsAre("a", "b")) << text;
    EXPECT_EQ(fields_of(table), expected) << text;
  }
  EXPECT_THAT(read("a,b\r\n1,\"x\r\ny\"\r\n2,z\r\n").location(1), HasSubstr(":4"));
}

TEST_F(DataTableTest, SeparatorsAreCommasSemicolonsOrTabs) {
  EXPECT_THAT(fields_of(read("a;b\n1,5;x\n")), ElementsAre("1,5", "x"));
  EXPECT_EQ(read("a;b\n1;x\n").delimiter(), ';');
  EXPECT_THAT(read("a;b,c\n1,2\n").columns(), ElementsAre("a;b", "c"));
  EXPECT_THAT(fields_of(read("a\tb\n1,5\t\"x\ty\"\n", "t.tsv")), ElementsAre("1,5", "x\ty"));
  EXPECT_THAT(fields_of(read("a\n1\n2\n")), ElementsAre("1", "2"));
}

TEST_F(DataTableTest, RaggedRowsAndBadQuotesAreRejectedWithTheirLine) {
  EXPECT_THAT(error_about("a,b\n1,2\n3\n"),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("1 field,"), HasSubstr("expected 2")));
  EXPECT_THAT(error_about("a,b\n\"x\ny\",2\n3,4,5\n"),
              AllOf(HasSubstr("t.csv:4"), HasSubstr("3 fields")));
  EXPECT_THAT(error_about("a,b\n1,2\n3,\"x\ny\n"),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("quote that is not closed")));
  EXPECT_THAT(error_about("a,b\n1,\"x\"y\n"),
              AllOf(HasSubstr("t.csv:2"), HasSubstr("after a closing quote")));
}

TEST_F(DataTableTest, OtherEncodingsAreRejected) {
  EXPECT_THAT(error_about("a,b\n1,caf\xE9\n"), AllOf(HasSubstr("t.csv:2"), HasSubstr("\\xE9"),
                                                     HasSubstr("not UTF-8"), HasSubstr("iconv")));
  EXPECT_THAT(error_about(std::string("\xFF\xFE"
                                      "a\0,\0b\0",
                                      8)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(error_about(std::string("a,b\n1,\0\n", 8)), AllOf(HasSubstr(":2"), HasSubstr("NUL")));
  EXPECT_THAT(fields_of(read("a\ncaf\u00E9\n")), ElementsAre("caf\u00E9"));
}

TEST_F(DataTableTest, TablesWithoutRowsOrWithEqualColumnsAreRejected) {
  EXPECT_THAT(error_about(""), HasSubstr("empty"));
  EXPECT_THAT(error_about("\n\n"), HasSubstr("empty"));
  EXPECT_THAT(error_about("a,b\n"), HasSubstr("no rows"));
  EXPECT_THAT(error_about("a,b,a\n1,2,3\n"), HasSubstr("two columns 'a'"));
  EXPECT_THAT(error_about("a,b\n1,2\n", "t.txt"), HasSubstr("expected .csv, .tsv or .jsonl"));
  EXPECT_THAT(error_about("", "t.jsonl"), HasSubstr("no rows"));
}

TEST_F(DataTableTest, AnUnknownColumnNamesTheOthers) {
  const auto table = read("label,text\n1,2\n");
  EXPECT_THAT(error_message_of([&] { table.column("lable"); }),
              AllOf(HasSubstr("'lable'"), HasSubstr("label"), HasSubstr("text")));
}

TEST_F(DataTableTest, SizesAreLimited) {
  EXPECT_THAT(error_about("a\n123456\n", "t.csv", {.file_bytes = 6}), HasSubstr("t.csv"));
  EXPECT_THAT(error_about("a\n12\n123456\n", "t.csv", {.field_bytes = 5}),
              AllOf(HasSubstr("t.csv:3"), HasSubstr("6 bytes"), HasSubstr("at most 5")));
  EXPECT_THAT(error_about("a,b\n1,2\n3,4\n", "t.csv", {.fields = 3}), HasSubstr("more than 3"));
  EXPECT_THAT(error_about("a,b,c\n1,2,3\n", "t.csv", {.columns = 2}), HasSubstr("3 columns"));
  EXPECT_THAT(error_about("{\"a\":1,\"b\":2}\n", "t.jsonl", {.columns = 1}), HasSubstr("'b'"));
  EXPECT_THAT(error_about("{\"a\":\"123456\"}\n", "t.jsonl", {.field_bytes = 5}),
              AllOf(HasSubstr("t.jsonl:1"), HasSubstr("6 bytes")));
}

TEST_F(DataTableTest, ReadsJsonLines) {
  const auto table = read(
      "{\"id\": 7, \"text\": \"a\\n\\u00e9\"}\r\n\n{\"text\": null, \"e\": [1, 2.5], \"ok\": "
      "true}\n",
      "t.jsonl");
  EXPECT_THAT(table.columns(), ElementsAre("id", "text", "e", "ok"));
  EXPECT_THAT(fields_of(table), ElementsAre("7", "a\n\u00E9", "", "", "", "", "[1,2.5]", "true"));
  EXPECT_THAT(table.location(1), HasSubstr("t.jsonl:3"));
  EXPECT_EQ(table.record(0), "{\"id\": 7, \"text\": \"a\\n\\u00e9\"}");
  EXPECT_EQ(table.delimiter(), '\0');
  EXPECT_THAT(fields_of(read("{}\n{\"a\":1}\n{}", "t.ndjson")), ElementsAre("", "1", ""));
}

TEST_F(DataTableTest, BadJsonIsRejectedWithItsLine) {
  const auto error_in = [&](const std::string& line) {
    return error_about("{\"a\":1}\n" + line + "\n", "t.jsonl");
  };
  EXPECT_THAT(error_in("{\"a\":"), AllOf(HasSubstr("t.jsonl:2"), HasSubstr("not JSON")));
  EXPECT_THAT(error_in("[1]"), AllOf(HasSubstr("t.jsonl:2"), HasSubstr("array")));
  EXPECT_THAT(error_in("{\"a\":1,\"a\":2}"), HasSubstr("key twice"));
  EXPECT_THAT(error_in("{\"a\":1e999}"), HasSubstr("too large"));
  EXPECT_THAT(error_in("{\"a\":" + std::string(100'000, '[')), HasSubstr("levels deep"));
}

TEST_F(DataTableTest, QuotedFieldsAreReadBack) {
  const std::vector<std::string> fields = {"a", "b,c", "d\"e", "f\ng", "h\ri", "=1+1", " j ", "\t"};
  for (const auto& [file, delimiter] : {std::pair{"t.csv", ','}, std::pair{"t.tsv", '\t'}}) {
    std::string header;
    std::string record;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) {
        header += delimiter;
        record += delimiter;
      }
      header += "c" + std::to_string(i);
      record += quote_field(fields[i], delimiter);
    }
    EXPECT_EQ(fields_of(read(header + "\n" + record + "\n", file)), fields);
  }
}

}  // namespace
}  // namespace projnce::io
