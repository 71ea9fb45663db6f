// Runs whose files are corrupt, or made to harm the reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "projnce/report/page/report_samples.h"
#include "projnce/report/page/run_data.h"
#include "projnce/report/server/run_index.h"
#include "tests/support/error_message.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using testing::write_text;

constexpr int kDeep = 200'000;

std::string nested_lists() {
  return std::string(kDeep, '[') + std::string(kDeep, ']');
}

std::string test_line(const std::string& name, const std::string& value) {
  return R"({"step":1,"epoch":0,"split":"test","name":")" + name + R"(","value":)" + value + "}\n";
}

class HostileRunTest : public ::testing::Test {
 protected:
  HostileRunTest() { testing::make_finished_run(run_.root, "0.5"); }

  ordered_json data() { return run_data(run_, {}); }
  std::string missing() { return data()["missing"].dump(); }
  RunSummary listed() { return read_run_summary({"run", run_.root}); }

  void replace_by_pipe(const std::filesystem::path& file) {
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  }

  testing::ScratchDir scratch_;
  io::RunPaths run_{scratch_ / "run"};
};

TEST_F(HostileRunTest, DeepJsonIsNotRead) {
  write_text(run_.summary(), "{\"epochs\": 8, \"a\": " + nested_lists() + "}");
  EXPECT_TRUE(data()["summary"].is_null());
  EXPECT_FALSE(listed().accuracy);
  std::filesystem::remove(run_.summary());
  write_text(run_.metrics(), test_line("knn", "{\"top1\":" + nested_lists() + "}") +
                                 test_line("knn", R"({"top1":0.25})"));
  EXPECT_EQ(data()["curves"]["tests"]["knn"]["top1"], (ordered_json{0.25}));
  EXPECT_EQ(listed().accuracy, 0.25);
}

TEST_F(HostileRunTest, DeepConfigurationsAreRejected) {
  std::string dots;
  for (int i = 0; i < kDeep; ++i) dots += "a.";
  write_text(run_.config(), dots + "a = 1");
  EXPECT_THAT(testing::error_message_of([&] { data(); }),
              HasSubstr("a key has more than 16 parts"));
  EXPECT_EQ(listed().loss, "");
}

TEST_F(HostileRunTest, DeepSamplesAreRejected) {
  io::write_safetensors(run_.samples(), {},
                        {{"format", "projnce-samples-1"}, {"contents", nested_lists()}});
  EXPECT_THAT(missing(), HasSubstr("more than 64 levels"));
}

TEST_F(HostileRunTest, AuditsAreObjects) {
  for (const auto& audit : {ordered_json{1, 2}, ordered_json("text"), ordered_json(7)}) {
    write_report_samples(run_.samples(), {.audit = audit});
    EXPECT_THAT(missing(), HasSubstr("has an audit of type ")) << audit;
  }
  write_report_samples(run_.samples(), {.audit = {{"flagged", 1}}});
  EXPECT_EQ(data()["audit"]["flagged"], 1);
}

TEST_F(HostileRunTest, SheetsHavePlausibleSizes) {
  for (const char* number : {"1e300", "-1", "99999999999999999999", "3000000000", "null"}) {
    const auto sheets = concat(R"({"side":)", number, R"(,"columns":1,"per_sheet":1,"sheets":0})");
    io::write_safetensors(
        run_.samples(), {{"confusion", io::StoredType::kI64, {0}, {}}},
        {{"format", "projnce-samples-1"},
         {"contents",
          R"({"class_names":[],"protocol":"","audit":null,"notes":[],"worst":)" + sheets + "}"}});
    EXPECT_THAT(missing(), HasSubstr("samples.safetensors")) << number;
  }
}

TEST_F(HostileRunTest, PipesDoNotBlock) {
  for (const auto& file : {run_.metrics(), run_.summary(), run_.commands()}) {
    replace_by_pipe(file);
    EXPECT_THAT(missing(), HasSubstr(file.filename().string() + " is a named pipe"));
    listed();
  }
  replace_by_pipe(run_.samples());
  replace_by_pipe(run_.config());
  EXPECT_THAT(testing::error_message_of([&] { data(); }), HasSubstr("config.toml is a named pipe"));
  EXPECT_EQ(listed().epochs, 0);
}

TEST_F(HostileRunTest, CurvesAreLinearInTheSizeOfTheFile) {
  // 368 kB became a page of 127 MB, with a column for each line.
  std::string lines;
  for (int i = 0; i < 4000; ++i) {
    lines += test_line("knn", R"({"n)" + std::to_string(i) + R"(":1})");
    lines += test_line("p" + std::to_string(i), R"({"top1":1})");
  }
  write_text(run_.metrics(), lines);
  EXPECT_LT(data()["curves"].dump().size(), 5 * lines.size());
}

TEST_F(HostileRunTest, ManyKeysTakeLinearTime) {
  std::string value = "{\"k\":1";
  for (int i = 0; i < 2'000'000; ++i) value += ",\"" + std::to_string(i) + "\":1";
  write_text(run_.metrics(), test_line("knn", value + "}") + test_line("knn", R"({"top1":0.5})"));
  EXPECT_EQ(data()["curves"]["tests"]["knn"]["top1"], (ordered_json{0.5}));
}

TEST_F(HostileRunTest, NumbersOutOfRangeAreNotRead) {
  for (const char* epoch : {"9223372036854775807", "18446744073709551615", "1e300", "-1", "0.5"}) {
    std::filesystem::remove(run_.summary());
    write_text(run_.metrics(), concat(R"({"step":1,"epoch":)", epoch,
                                      R"(,"split":"test","name":"knn","value":{"top1":0.5}})"));
    EXPECT_TRUE(data()["curves"]["tests"].empty()) << epoch;
    EXPECT_EQ(listed().epoch, 0) << epoch;
    write_text(run_.summary(), concat(R"({"accuracy":{"last":0.5},"epochs":)", epoch, "}"));
    EXPECT_EQ(listed().epoch, 0) << epoch;
  }
}

}  // namespace
}  // namespace projnce::report
