#include "projnce/reproduce/result_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reproduce/made_result.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::made_cell;
using testing::made_result;
using ::testing::Not;

TEST(ResultPage, NeedsNothingElseAndSaysWhatWasAsked) {
  EXPECT_THAT(result_page(made_result(), "."),
              AllOf(HasSubstr("<h1>table4: Wrong labels</h1><p>Which loss keeps its accuracy?</p>"),
                    HasSubstr("<p class=\"about\">Scale laptop: a small encoder, 20 epochs.</p>"),
                    HasSubstr("<pre><code>projnce reproduce table4 --scale laptop</code></pre>"),
                    HasSubstr("9 runs were trained, which took 2 h 10 min together."),
                    HasSubstr("default-src 'none'"), HasSubstr("prefers-color-scheme: dark"),
                    Not(HasSubstr("<script"))));
}

TEST(ResultPage, CellsHaveABarAndThePaperBelow) {
  const auto html = result_page(made_result(), ".");
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">SimCLR</th><td><b>36.9</b><span> ± 0.4</span>"
                              "<span class=\"bar\"><i style=\"width:36.9%\"></i></span>"
                              "<small>paper 74.4, −37.5</small></td>"
                              "<td><b>50.0</b> <span>(1 of 3)</span><span class=\"bar\">"
                              "<i style=\"width:50.0%\"></i></span></td></tr>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"best\"><b>41.0</b>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"none\">– ²<small>paper 91.0</small></td>"));
  EXPECT_THAT(html, HasSubstr("<span>(2 of 3)</span> ¹<span class=\"bar\">"));
  EXPECT_THAT(html, HasSubstr("<p>¹ the disk was full</p>\n<p>² CIFAR-10 is not here</p>"));
  EXPECT_THAT(html, HasSubstr("<tfoot><tr><th scope=\"row\">order agrees with the paper (Kendall)"
                              "</th><td>−0.33 of 3 methods</td><td>–</td></tr></tfoot>"));
}

TEST(ResultPage, BarsOfInformationAreOfTheMostInTheTable) {
  auto result = made_result();
  auto& table = result.tables.front();
  table.unit = ResultUnit::kNats;
  table.cells = {{made_cell("a", {2.0}), made_cell("b", {0.5})},
                 {made_cell("c", {-1.0}), made_cell("d", {1.0})},
                 {made_cell("e", {0.0}), made_cell("f", {1.5})}};
  const auto html = result_page(result, ".");
  for (const auto* bar : {"2.00</b><span class=\"bar\"><i style=\"width:100.0%\">",
                          "0.50</b><span class=\"bar\"><i style=\"width:25.0%\">",
                          "−1.00</b><span class=\"bar\"><i style=\"width:0.0%\">"}) {
    EXPECT_THAT(html, HasSubstr(bar));
  }
}

TEST(ResultPage, NamesStayNames) {
  auto result = made_result();
  result.title = "<img src=x>";
  result.remarks.emplace_back("`<i>` & <u>");
  const auto html = result_page(result, ".");
  EXPECT_THAT(html, AllOf(HasSubstr("<th scope=\"row\">&lt;b&gt;|x</th>"), Not(HasSubstr("<img")),
                          HasSubstr("<li><code>&lt;i&gt;</code> &amp; &lt;u&gt;</li>"),
                          HasSubstr("<code>projnce reproduce --help</code>; 3 &lt; 5 * 2.</li>")));
}

TEST(ResultPage, PicturesStandInThePage) {
  EXPECT_THAT(result_page(made_result(), "."),
              HasSubstr("<figure><svg><title>a</title></svg>\n<figcaption>A [map]</figcaption>"));
}

TEST(ResultPage, LinksLeadFromThePageToTheSettings) {
  auto result = made_result();
  result.tables.front().cells[0][1].runs.front().directory = "runs/a b#\"/seed-1";
  const auto html = result_page(result, "runs/paper");
  EXPECT_THAT(html, HasSubstr("All 9 runs"));
  EXPECT_THAT(html, HasSubstr("<td>SimCLR</td><td>STL10</td><td>1</td><td>36.5</td>"
                              "<td><a href=\"../stl10/simclr/seed-1/config.toml\">"
                              "runs/stl10/simclr/seed-1</a></td>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"../a%20b%23%22/seed-1/config.toml\">"
                              "runs/a b#&quot;/seed-1</a>"));
}

}  // namespace
}  // namespace projnce
