#include "projnce/reproduce/result_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reproduce/made_result.h"

namespace projnce::reproduce {
namespace {

using testing::absent_cell;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::made_cell;
using testing::made_result;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ResultMarkdown, StartsWithQuestionScaleAndCommand) {
  EXPECT_THAT(result_markdown(made_result()), StartsWith(R"(# table4: Wrong labels

Which loss keeps its accuracy?

Scale laptop: a small encoder, 20 epochs.

9 runs, total training time 2 h 10 min.

Published values from arXiv:2506.09810.

```sh
projnce reproduce table4 --scale laptop
```

## Accuracy by nearest centroid

Mean ± standard deviation over 3 seeds, in percent. Cells also show the published value and the difference to it.

)"));
}

TEST(ResultMarkdown, CellsShowRunsAndPublishedValues) {
  EXPECT_THAT(result_markdown(made_result()), HasSubstr(R"(
| method | STL10 | CIFAR-10 |
|---|---:|---:|
| SimCLR | 36.9 ± 0.4 (paper 74.4, −37.5) | 50.0 (1 of 3) |
| \<b>\|x | 26.0 ± 1.4 (2 of 3) ¹ (paper 25.7, +0.3) | – ² (paper 91.0) |
| ProjNCE | **41.0 ± 1.0** (paper 40.0, +1.0) | – ² |
| rank correlation with the paper (Kendall's tau) | −0.33 (3 methods) | – |

¹ the disk was full

² CIFAR-10 is not here

)"));
}

TEST(ResultMarkdown, EndsWithRemarksImagesAndRuns) {
  EXPECT_THAT(result_markdown(made_result()), HasSubstr(R"(
## Remarks

- See `projnce reproduce --help`; 3 \< 5 \* 2.

![A \[map]](table4-a.svg)

## Runs

Each folder contains the complete `config.toml` of the run.

| method | column | seed | centroid (%) | folder |
|---|---|---:|---:|---|
| SimCLR | STL10 | 1 | 36.5 | `runs/stl10/simclr/seed-1` |
)"));
}

TEST(ResultMarkdown, ListsRunsOfSeveralTablesOnce) {
  auto result = made_result();
  auto information = result.tables.front();
  information.measure = "information";
  information.unit = ResultUnit::kNats;
  information.cells = {{made_cell("stl10/simclr", {-0.004, -1.256, 2.0}), absent_cell("")},
                       {absent_cell(""), absent_cell("")},
                       {absent_cell(""), absent_cell("")}};
  information.columns.front().ranking = std::nullopt;
  result.tables.push_back(information);
  const auto text = result_markdown(result);
  EXPECT_THAT(text, HasSubstr("| method | column | seed | centroid (%) | information (nats) | "
                              "folder |\n|---|---|---:|---:|---:|---|\n"
                              "| SimCLR | STL10 | 1 | 36.5 | 0.00 | `runs/stl10/simclr/seed-1` |\n"
                              "| SimCLR | STL10 | 2 | 36.9 | −1.26 |"));
  EXPECT_THAT(text, HasSubstr("| ProjNCE | STL10 | 1 | 40.0 | – |"));
  const auto second = text.substr(text.find("in nats."), text.find("## Remarks"));
  EXPECT_THAT(second.substr(0, second.find("##")),
              AllOf(StartsWith("in nats.\n"), HasSubstr("| SimCLR | 0.25 ± 1.64 | – |"),
                    Not(HasSubstr("Kendall")), Not(HasSubstr("**"))))
      << "no published values without any, and no best of one";
}

TEST(ResultMarkdown, OmitsDeviationOfOneSeedAndSignOfZero) {
  auto result = made_result();
  result.tables.front().cells = {{made_cell("a", {0.5}, 0.50004), absent_cell("")},
                                 {made_cell("b", {0.4999}), absent_cell("")},
                                 {made_cell("c", {0.1}), absent_cell("")}};
  const auto text = result_markdown(result);
  EXPECT_THAT(text, AllOf(HasSubstr("One seed, no standard deviation, in percent."),
                          HasSubstr("| SimCLR | **50.0** (paper 50.0, 0.0) | – |"),
                          HasSubstr("| \\<b>\\|x | 50.0 | – |"), Not(HasSubstr("±"))));
}

TEST(ResultMarkdown, HandlesResultsWithoutRuns) {
  Result result{.name = "table1", .title = "Empty", .scale = "smoke"};
  result.tables = {{.measure = "probe",
                    .title = "Probe",
                    .columns = {{"mnist", "clean", "MNIST", std::nullopt}},
                    .rows = {{"ce", "CE", "", 0}},
                    .cells = {{absent_cell("not trained yet")}}}};
  const auto text = result_markdown(result);
  EXPECT_THAT(text, AllOf(HasSubstr("No runs, in percent."), HasSubstr("| CE | – ¹ |"),
                          HasSubstr("¹ not trained yet"), Not(HasSubstr("## Runs")),
                          Not(HasSubstr("## Remarks")), HasSubstr("Scale smoke.")));
}

TEST(ResultMarkdown, EscapesTexts) {
  auto result = made_result();
  result.title = "*a*\n# b";
  result.remarks = {"an odd ` and <script>", "back\\slash"};
  result.tables.front().cells[0][0].runs.front().directory = "runs/a|b";
  result.tables.front().cells[0][0].runs.back().directory = "runs/a`b";
  EXPECT_THAT(result_markdown(result),
              AllOf(StartsWith("# table4: \\*a\\* # b\n"),
                    HasSubstr("- an odd \\` and \\<script>\n"), HasSubstr("- back\\\\slash\n"),
                    HasSubstr("| `runs/a\\|b` |"), HasSubstr("| runs/a\\`b |")));
}

}  // namespace
}  // namespace projnce::reproduce
