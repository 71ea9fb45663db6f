#include "projnce/theory/theory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/threads.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::theory {
namespace {

using projnce::testing::error_message_of;
using projnce::testing::ScratchDir;
using ::testing::HasSubstr;

/// An experiment with one claim that holds and one that does not.
TheoryResult result_with_violation() {
  return {.id = "T9",
          .title = "Arithmetic",
          .summary = "One < two.",
          .tables = {{.caption = "numbers", .header = {"name", "β"}, .rows = {{"one", "1 ± 0"}}}},
          .chart = {.title = "Numbers", .series = {{.name = "a", .points = {{.x = 1, .y = 2}}}}},
          .claims = {{"one is one", true}, {"one is two", false}},
          .seconds = 1};
}

void ignore_result(const TheoryResult&) {}

struct SmallExperiment {
  std::string id;
  double effort;
};

/// Every experiment with few repetitions: all claims hold.
class SmallTheory : public ::testing::TestWithParam<SmallExperiment> {
 protected:
  void SetUp() override { set_threads(1); }
};

TEST_P(SmallTheory, Holds) {
  const auto results =
      run_theory({.only = {GetParam().id}, .options = {.seed = 5, .effort = GetParam().effort}},
                 ignore_result);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].id, GetParam().id);
  EXPECT_FALSE(results[0].tables.empty());
  EXPECT_FALSE(results[0].chart.series.empty());
  EXPECT_GE(results[0].claims.size(), 4U);
  for (const auto& claim : results[0].claims) EXPECT_TRUE(claim.holds) << claim.text;
}

INSTANTIATE_TEST_SUITE_P(Theory, SmallTheory,
                         ::testing::Values(SmallExperiment{"T1", 0.05}, SmallExperiment{"T2", 0.1},
                                           SmallExperiment{"T3", 0.05}, SmallExperiment{"T4", 0.1},
                                           SmallExperiment{"T5", 0.1}, SmallExperiment{"T6", 0.1},
                                           SmallExperiment{"T7", 0.1}, SmallExperiment{"T8", 0.05}),
                         [](const auto& test) { return test.param.id; });

TEST(Theory, TrainedEncodersAreComparedOnTheSameRows) {
  set_threads(1);
  const auto results =
      run_theory({.only = {"T8"}, .options = {.seed = 5, .effort = 0.02}}, ignore_result);
  const auto& tables = results.at(0).tables;
  ASSERT_EQ(tables.size(), 2U);
  const auto& differences = tables[1];
  EXPECT_EQ(differences.rows.size(), 2U) << "clean and noisy labels";
  for (const auto& row : differences.rows) {
    ASSERT_EQ(row.size(), differences.header.size());
    EXPECT_THAT(row[1], HasSubstr("±"));
    EXPECT_THAT(row[2], HasSubstr("±"));
  }
}

TEST(Theory, EqualSeedsGiveEqualNumbers) {
  set_threads(1);
  const TheoryRequest request{.only = {"T3"}, .options = {.seed = 7, .effort = 0.02}};
  const auto numbers = [&] {
    return theory_json(run_theory(request, ignore_result))["experiments"][0]["series"];
  };
  EXPECT_EQ(numbers(), numbers());
}

TEST(Theory, AViolatedClaimMakesTheExitStatusOne) {
  auto result = result_with_violation();
  EXPECT_EQ(result.violated(), 1);
  EXPECT_EQ(violated_claims({result, result}), 2);
  EXPECT_EQ(exit_status({result}), 1);
  result.claims.pop_back();
  EXPECT_EQ(exit_status({result}), 0);
  EXPECT_EQ(exit_status({}), 0);
}

TEST(Theory, TextNamesViolatedClaims) {
  const auto text = theory_text(result_with_violation());
  EXPECT_THAT(text, HasSubstr("T9: Arithmetic\n\nnumbers\nname  β\none   1 ± 0\n"));
  EXPECT_THAT(text, HasSubstr("VIOLATED: one is two\n1 of 2 claims hold (1.0 s)\n"));
}

TEST(Theory, JsonHasTablesNumbersAndClaims) {
  const auto json = theory_json({result_with_violation()});
  EXPECT_EQ(json["violated"], 1);
  const auto& experiment = json["experiments"][0];
  EXPECT_EQ(experiment["id"], "T9");
  EXPECT_EQ(experiment["tables"][0]["rows"][0][0], "one");
  EXPECT_EQ(experiment["series"][0]["points"][0]["y"], 2.0);
  EXPECT_EQ(experiment["claims"][1]["holds"], false);
}

TEST(Theory, WritesAPageAndAChartForEachExperiment) {
  const ScratchDir dir;
  const auto files = write_theory({result_with_violation()}, "projnce theory -o a", dir / "a/b");
  ASSERT_EQ(files.size(), 2U);
  const auto page = projnce::testing::contents(files[0]);
  for (const auto* text : {"T9: Arithmetic", "One &lt; two.", "projnce theory -o a", "one is two",
                           "1 of 2 claims hold", "<svg"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(projnce::testing::contents(dir / "a/b/T9.svg"), HasSubstr("<svg"));
}

TEST(Theory, RejectsUnusableOutputDirectories) {
  const ScratchDir dir;
  io::write_file_atomically(dir / "file", "x");
  for (const auto* path : {"file", "file/below"}) {
    EXPECT_THAT(error_message_of([&] { make_output_directory(dir / path); }),
                HasSubstr("cannot make the output directory"));
  }
}

TEST(Theory, UnknownExperimentSuggestsTheNearest) {
  EXPECT_THAT(error_message_of([] {
                run_theory({.only = {"T1", "T33"}}, ignore_result);
              }),
              ::testing::AllOf(HasSubstr("T33"), HasSubstr("T3")));
}

}  // namespace
}  // namespace projnce::theory
