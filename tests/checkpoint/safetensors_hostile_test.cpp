#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "projnce/checkpoint/tensor_file.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/scratch_dir.h"

namespace projnce::checkpoint {
namespace {

using ::testing::AllOf;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::parse_error_of;
using testing::raw_file;
using testing::ScratchDir;

/// JSON of one tensor entry with the given fields.
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return concat(R"({"dtype":)", dtype, R"(,"shape":)", shape, R"(,"data_offsets":)", offsets, "}");
}

std::string f32(const std::string& shape, const std::string& offsets) {
  return tensor(R"("F32")", shape, offsets);
}

struct Case {
  std::string json;
  size_t data_bytes;
  std::string reason;
};

void expect_rejected(const std::vector<Case>& cases) {
  for (const auto& [json, data_bytes, reason] : cases) {
    EXPECT_THAT(parse_error_of(raw_file(json, data_bytes), io::Integrity::kOptional),
                AllOf(HasSubstr("x.safetensors"), HasSubstr(reason)))
        << json.substr(0, 200);
  }
}

std::string named(const std::string& first, const std::string& second = {}) {
  return second.empty() ? concat(R"({"a":)", first, "}")
                        : concat(R"({"a":)", first, R"(,"b":)", second, "}");
}

TEST(HostileSafetensors, AcceptsTheValidBaseCase) {
  const auto file = raw_file(named(f32("[1]", "[0,4]"), f32("[2]", "[4,12]")), 12);
  EXPECT_EQ(parse_error_of(file, io::Integrity::kOptional), "nothing was wrong");
}

TEST(HostileSafetensors, RejectsWrongHeaderLengths) {
  auto file = raw_file(named(f32("[1]", "[0,4]")), 4);
  for (const uint64_t length : {uint64_t{1000}, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{7}}) {
    std::memcpy(file.data(), &length, sizeof(length));
    EXPECT_THAT(parse_error_of(file, io::Integrity::kOptional), HasSubstr("declares a header of"));
  }
  const auto large = raw_file("{}" + std::string((16 << 20) - 1, ' '), 0);
  EXPECT_THAT(parse_error_of(large, io::Integrity::kOptional), HasSubstr("at most 16777216"));
  EXPECT_THAT(parse_error_of("", io::Integrity::kOptional), HasSubstr("0 bytes"));
  EXPECT_THAT(parse_error_of("1234567", io::Integrity::kOptional), HasSubstr("7 bytes"));
}

TEST(HostileSafetensors, RejectsGapsAndOverlapsInTheData) {
  expect_rejected({
      {named(f32("[2]", "[0,8]"), f32("[2]", "[4,12]")), 12, "start at 8"},
      {named(f32("[2]", "[0,8]"), f32("[2]", "[0,8]")), 8, "start at 8"},
      {named(f32("[1]", "[0,4]"), f32("[1]", "[8,12]")), 12, "start at 4"},
      {named(f32("[1]", "[4,8]")), 8, "start at 0"},
      {named(f32("[1]", "[0,4]")), 5, "5 bytes of data, expected 4"},
      {named(f32("[1]", "[0,4]")), 3, "of its 3 bytes of data"},
      {named(f32("[0]", "[4,0]")), 4, "start at 0"},
      {named(f32("[0]", "[0,0]"), f32("[0]", "[4,4]")), 4, "start at 0"},
      {named(f32("[1]", "[0,18446744073709551615]")), 4, "of its 4 bytes"},
      {"{}", 1, "1 byte of data, expected 0"},
  });
}

TEST(HostileSafetensors, RejectsInvalidShapesAndTypes) {
  expect_rejected({
      {named(f32("[2]", "[0,4]")), 4, "4 bytes for tensor 'a', expected 8"},
      {named(tensor(R"("F8_E4M3")", "[4]", "[0,4]")), 4, "'F8_E4M3', expected one of BOOL"},
      {named(tensor(R"("f32")", "[1]", "[0,4]")), 4, "type 'f32'"},
      {named(tensor("32", "[1]", "[0,4]")), 4, "a number"},
      {named(f32("[-1]", "[0,4]")), 4, "a negative number"},
      {named(f32("[-0]", "[0,0]")), 0, "a negative number"},
      {named(f32("[1]", "[0,-4]")), 4, "a negative number"},
      {named(f32("[1.0]", "[0,4]")), 4, "the number 1.0"},
      {named(f32("[1e0]", "[0,4]")), 4, "the number 1e0"},
      {named(f32("[18446744073709551616]", "[0,4]")), 4, "the number 18446744073709551616"},
      {named(f32("[1,1,1,1,1,1,1,1,1]", "[0,4]")), 4, "more than 8"},
      {named(f32("[4294967296,4294967296]", "[0,0]")), 0, "63 bits"},
      {named(f32("[4294967296,4294967296,0]", "[0,0]")), 0, "63 bits"},
      {named(tensor(R"("U8")", "[0,9223372036854775808]", "[0,0]")), 0, "63 bits"},
      {named(f32("[1]", "[0]")), 4, "1 data_offsets"},
      {named(f32("[1]", "[0,4,4]")), 4, "3 data_offsets"},
  });
}

TEST(HostileSafetensors, RejectsInvalidNamesAndFields) {
  const auto good = f32("[1]", "[0,4]");
  expect_rejected({
      {concat(R"({"a":)", good, R"(,"a":)", good, "}"), 4, "'a' is duplicated"},
      {concat(R"({"a":)", good, R"(,"\u0061":)", good, "}"), 4, "'a' is duplicated"},
      {named(R"({"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]})"), 4,
       "is duplicated"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", 0, "'k' is duplicated"},
      {R"({"__metadata__":{},"__metadata__":{}})", 0, "is duplicated"},
      {named(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1})"), 4, "unknown field 'x'"},
      {named(R"({"dtype":"F32","shape":[1]})"), 4, "lacks one"},
      {named("{}"), 0, "lacks one"},
      {R"({"__metadata__":{"k":1}})", 0, "a number"},
      {R"({"__metadata__":{"k":{}}})", 0, "an object"},
      {R"({"__metadata__":"k"})", 0, "a string"},
  });
}

TEST(HostileSafetensors, RejectsInvalidHeaderText) {
  const auto good = named(f32("[1]", "[0,4]"));
  expect_rejected({
      {"", 0, "starts with '{'"},
      {" {}", 0, "starts with '{'"},
      {"\xef\xbb\xbf{}", 0, "starts with '{'"},
      {"[]", 0, "starts with '{'"},
      {"{}{}", 0, "invalid JSON"},
      {"{", 0, "invalid JSON"},
      {std::string("{}\0{}", 5), 0, "starts with '{'"},
      {"{\"\xff\":{}}", 0, "invalid JSON"},
      {R"({"\ud800":{}})", 0, "invalid JSON"},
      {good + "x", 4, "invalid JSON"},
      {named("null"), 0, "null"},
      {named("true"), 0, "true or false"},
      {named("[[1]]"), 0, "an array"},
      {named(f32("[[1]]", "[0,4]")), 4, "an array"},
      {named(f32("{}", "[0,4]")), 4, "an object"},
      {named(f32(R"(["1"])", "[0,4]")), 4, "a string"},
      {named(std::string(1000000, '[')), 0, "an array"},
      {[] {
         std::string deep;
         for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
         return deep;
       }(),
       0, "field 'a'"},
  });
}

TEST(HostileSafetensors, RejectsInvalidChecksumEntries) {
  const auto record = [](const std::string& fields) {
    return concat(R"({"~integrity":)", fields, "}");
  };
  expect_rejected({
      {record(tensor(R"("U8")", "[24]", "[0,24]")), 24, "unknown kind of checksum"},
      {record(tensor(R"("U8")", "[8]", "[0,8]")), 8, "corrupt checksum"},
      {record(tensor(R"("I8")", "[24]", "[0,24]")), 24, "corrupt checksum"},
      {concat(R"({"~integrity":)", tensor(R"("U8")", "[24]", "[0,24]"), R"(,"z":)",
              f32("[1]", "[24,28]"), "}"),
       28, "corrupt checksum"},
  });
}

TEST(HostileSafetensors, RejectsInvalidBoolValues) {
  auto file = raw_file(named(tensor(R"("BOOL")", "[2]", "[0,2]")), 2);
  file.back() = 1;
  EXPECT_EQ(parse_error_of(file, io::Integrity::kOptional), "nothing was wrong");
  file.back() = 2;
  EXPECT_THAT(parse_error_of(file, io::Integrity::kOptional), HasSubstr("other than 0 and 1"));
}

TEST(HostileSafetensors, RejectsPathsThatAreNotRegularFiles) {
  const ScratchDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_message_of([&] { load_tensors(dir / "pipe"); }), HasSubstr("a named pipe"));
  EXPECT_THAT(error_message_of([&] { load_tensors(dir.path()); }), HasSubstr("a folder"));
  EXPECT_THAT(error_message_of([&] { load_tensors("/dev/zero"); }), HasSubstr("a device"));
  EXPECT_THAT(error_message_of([&] { load_tensors(dir / "none"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace projnce::checkpoint
