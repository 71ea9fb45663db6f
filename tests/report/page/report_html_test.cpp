#include "projnce/report/page/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/toml.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/report/page/report_samples.h"
#include "projnce/report/page/run_data.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, DataCannotEndItsElement) {
  const ordered_json data = {{"title", "</title><script>alert(1)</script>"},
                             {"name", "</script><!--<script>"}};
  const auto page = report_html(data);
  EXPECT_THAT(page, AllOf(HasSubstr("\\u003c/script>\\u003c!--\\u003cscript>"),
                          HasSubstr("&lt;/title&gt;&lt;script&gt;")));
  EXPECT_EQ(count_of(page, "<script>alert"), 0U);
  EXPECT_EQ(count_of(page, "</script>"), 2U) << "of the data and of the script";
  EXPECT_EQ(ordered_json::parse(report_json(data)), data);
}

TEST(Page, PlaceholdersInTheDataStayText) {
  const auto page = report_html({{"title", "{{data}} {{script}}"}, {"x", "{{style}}{{csp}}"}});
  EXPECT_THAT(page, AllOf(HasSubstr("<title>{{data}} {{script}}</title>"),
                          HasSubstr("\"x\":\"{{style}}{{csp}}\"")));
}

TEST(Page, ReplacesInvalidUtf8) {
  EXPECT_EQ(report_json({{"name", "\xff"}}), "{\"name\":\"\xEF\xBF\xBD\"}");
}

TEST(Page, AllowsOnlyItsOwnScriptAndStyle) {
  const auto policy = report_policy();
  EXPECT_THAT(policy, AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'sha256-"),
                            Not(HasSubstr("unsafe"))));
  EXPECT_THAT(report_html({{"title", "t"}}), HasSubstr(policy));
  EXPECT_FALSE(report_script().empty());
  EXPECT_EQ(report_script().find("</script"), std::string_view::npos);
}

TEST(Page, ContainsStaticResults) {
  const auto summary = ordered_json::parse(R"({
    "accuracy": {"reported": 0.83333, "reported_epoch": "last"}, "classes": 3, "epochs": 1,
    "samples": {"train": 24, "test": 6},
    "protocols": {"nearest-centroid": {"top1": 0.83333, "top1_interval": [0.3588, 0.9958]},
                  "probe": {"top1": null, "top1_interval": null}}})");
  const ordered_json run = {{"name", "<b>tiny"}, {"state", "finished"}, {"summary", summary}};
  const ordered_json begun = {{"name", "begun"}, {"state", "running"}, {"summary", nullptr}};
  const auto page = report_html({{"title", "t"}, {"runs", {run, begun}}});
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("<b>&lt;b&gt;tiny</b>, finished"),
          HasSubstr("<th scope=\"row\">Reported accuracy (last epoch)</th><td>83.3 %</td>"),
          HasSubstr("Accuracy, nearest-centroid</th><td>83.3 % (95 % interval 35.9 to 99.6)</td>"),
          HasSubstr("Test samples</th><td>6</td>"), Not(HasSubstr("Accuracy, probe")),
          HasSubstr("<b>begun</b>, running, no results yet")));
}

TEST(Page, OmitsUnexpectedResults) {
  for (const auto* runs :
       {"3", "[]", "[4]", "[{}]", R"([{"name": 3, "summary": {"protocols": []}}])",
        R"([{"summary": {"protocols": {"knn": 3}, "samples": 4, "classes": "x",
                                            "accuracy": {"reported": "high"}}}])"}) {
    const ordered_json data = {{"title", "t"}, {"runs", ordered_json::parse(runs)}};
    EXPECT_THAT(report_html(data), HasSubstr("id=\"numbers\"")) << runs;
  }
}

class RunDataTest : public ::testing::Test {
 protected:
  RunDataTest() {
    io::write_file_atomically(run_.config(),
                              "seed = 1\n\n[train]\nepochs = 3\nschedule = 'cosine'\n");
  }
  testing::ScratchDir scratch_;
  io::RunPaths run_{scratch_.path()};
};

TEST_F(RunDataTest, UnfinishedRunHasSettingsAndNoSummary) {
  const auto data = run_data(run_, {.standard = parse_toml("[train]\nepochs = 500\n", "t")});
  EXPECT_EQ(data["state"], "running");
  EXPECT_TRUE(data["summary"].is_null());
  EXPECT_TRUE(data["missing"].empty()) << "an unfinished run has nothing missing";
  const ordered_json epochs = {{"key", "train.epochs"}, {"value", "3"}, {"standard", "500"}};
  const ordered_json schedule = {
      {"key", "train.schedule"}, {"value", "'cosine'"}, {"standard", nullptr}};
  EXPECT_EQ(
      data["config"],
      (ordered_json{{{"key", "seed"}, {"value", "1"}, {"standard", nullptr}}, epochs, schedule}));
}

TEST_F(RunDataTest, FinishedRunWithoutSamplesListsWhatIsMissing) {
  io::write_file_atomically(run_.summary(), "{\"loss\": \"supcon\"}");
  io::write_file_atomically(run_.commands(), "projnce train x\nprojnce train --resume\n");
  const auto data = run_data(run_, {});
  EXPECT_EQ(data["state"], "finished");
  EXPECT_EQ(data["summary"]["loss"], "supcon");
  EXPECT_EQ(data["commands"].size(), 2U);
  ASSERT_EQ(data["missing"].size(), 1U);
  EXPECT_THAT(data["missing"][0].get<std::string>(), HasSubstr("samples.safetensors"));
}

TEST_F(RunDataTest, FormerNamesInTheAuditAreReplaced) {
  io::write_file_atomically(run_.summary(), "{}");
  ReportSamples samples;
  samples.audit = {{"parts", {{{"part", "test"}, {"audited", 7}}}},
                   {"worst", {{{"part", "test"}, {"index", 3}}}}};
  write_report_samples(run_.samples(), samples);
  const auto audit = run_data(run_, {})["audit"];
  EXPECT_EQ(audit["splits"],
            ordered_json::array({ordered_json{{"split", "test"}, {"audited", 7}}}));
  EXPECT_EQ(audit["worst"][0], (ordered_json{{"split", "test"}, {"index", 3}}));
  EXPECT_FALSE(audit.contains("parts"));
}

TEST_F(RunDataTest, RunWithoutLiveProcessIsStopped) {
  io::write_file_atomically(run_.lock(), "");
  EXPECT_EQ(run_data(run_, {})["state"], "running") << "the process is unknown";
  const pid_t child = testing::start_child([&] {
    const io::FileLock lock(run_.lock());
    return 0;
  });
  testing::wait_for(child);
  EXPECT_EQ(run_data(run_, {})["state"], "stopped");
}

TEST_F(RunDataTest, InvalidSummaryCountsAsMissing) {
  io::write_file_atomically(run_.summary(), "{\"loss\": ");
  EXPECT_EQ(run_data(run_, {})["state"], "running");
}

}  // namespace
}  // namespace projnce::report
