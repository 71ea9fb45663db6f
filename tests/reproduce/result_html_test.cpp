#include "projnce/reproduce/result_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reproduce/made_result.h"

namespace projnce::reproduce {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::made_result;
using ::testing::Not;

TEST(ResultHtml, IsSelfContainedAndStatesTheQuestion) {
  EXPECT_THAT(
      result_html(made_result(), "."),
      AllOf(HasSubstr("<h1>table4: Wrong labels</h1><p>Which loss keeps its accuracy?</p>"),
            HasSubstr("<p>Scale laptop: a small encoder, 20 epochs.</p>"),
            HasSubstr("<pre><code>projnce reproduce table4 --scale laptop</code></pre>"),
            HasSubstr("9 runs, total training time 2 h 10 min."), HasSubstr("default-src 'none'"),
            HasSubstr("prefers-color-scheme: dark"), Not(HasSubstr("<script"))));
}

TEST(ResultHtml, CellsShowPublishedValues) {
  const auto html = result_html(made_result(), ".");
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">SimCLR</th><td>36.9 ± 0.4"
                              "<small>paper 74.4, −37.5</small></td>"
                              "<td>50.0 (1 of 3)</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"best\">41.0"));
  EXPECT_THAT(html, HasSubstr("<td>– ²<small>paper 91.0</small></td>"));
  EXPECT_THAT(html, HasSubstr("(2 of 3) ¹"));
  EXPECT_THAT(html, HasSubstr("<p>¹ the disk was full</p>\n<p>² CIFAR-10 is not here</p>"));
  EXPECT_THAT(
      html,
      HasSubstr("<tfoot><tr><th scope=\"row\">rank correlation with the paper (Kendall&#39;s tau)"
                "</th><td>−0.33 (3 methods)</td><td>–</td></tr>\n</tfoot>"));
}

TEST(ResultHtml, EscapesNames) {
  auto result = made_result();
  result.title = "<img src=x>";
  result.remarks.emplace_back("`<i>` & <u>");
  const auto html = result_html(result, ".");
  EXPECT_THAT(html, AllOf(HasSubstr("<th scope=\"row\">&lt;b&gt;|x</th>"), Not(HasSubstr("<img")),
                          HasSubstr("<li><code>&lt;i&gt;</code> &amp; &lt;u&gt;</li>"),
                          HasSubstr("<code>projnce reproduce --help</code>; 3 &lt; 5 * 2.</li>")));
}

TEST(ResultHtml, EmbedsCharts) {
  EXPECT_THAT(result_html(made_result(), "."),
              HasSubstr("<svg><title>a</title></svg>\n<figcaption>A [map]</figcaption>"));
}

TEST(ResultHtml, LinksToConfigurationsRelativeToTheFile) {
  auto result = made_result();
  result.tables.front().cells[0][1].runs.front().directory = "runs/a b#\"/seed-1";
  const auto html = result_html(result, "runs/paper");
  EXPECT_THAT(html, HasSubstr("All 9 runs"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">SimCLR</th><td>STL10</td><td>1</td><td>36.5</td>"
                              "<td><a href=\"../stl10/simclr/seed-1/config.toml\">"
                              "runs/stl10/simclr/seed-1</a></td>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"../a%20b%23%22/seed-1/config.toml\">"
                              "runs/a b#&quot;/seed-1</a>"));
}

}  // namespace
}  // namespace projnce::reproduce
