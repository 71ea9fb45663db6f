#include "projnce/report/page/html_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/report/chart/line_chart.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HtmlDocument, AllowsNoExternalResources) {
  const HtmlDocument document("</title><script>", "p { }");
  EXPECT_THAT(document.finish(),
              AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("default-src 'none'"),
                    HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"), HasSubstr("p { }"),
                    HasSubstr("prefers-color-scheme: dark"), Not(HasSubstr("<script"))));
}

TEST(HtmlDocument, EscapesAllTexts) {
  const std::string hostile = "<img src=x>\"'&";
  HtmlDocument document(hostile);
  document.header(hostile, hostile);
  document.section(hostile);
  document.paragraph(hostile);
  document.list({hostile});
  document.code(hostile);
  document.table({.header = {hostile},
                  .rows = {{{.text = hostile, .note = hostile, .link = hostile}}},
                  .footer = {{hostile}}});
  document.folded_table(hostile, {.header = {hostile}, .rows = {}});
  document.figure("<svg></svg>", hostile);
  document.footer(hostile);
  const auto html = document.finish();
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<img")), Not(HasSubstr("x>\"")),
                          HasSubstr("&lt;img src=x&gt;&quot;&#39;&amp;")));
}

TEST(HtmlDocument, FormatsCodeInProse) {
  HtmlDocument document("t");
  document.paragraph("run `projnce <x>` twice");
  document.paragraph("");
  EXPECT_THAT(document.finish(),
              AllOf(HasSubstr("<p>run <code>projnce &lt;x&gt;</code> twice</p>\n"),
                    Not(HasSubstr("<p></p>"))));
}

TEST(HtmlDocument, TablesHaveRowHeadersAndMarkTheBest) {
  HtmlDocument document("t");
  document.table({.header = {"method", "accuracy"},
                  .rows = {{{"SupCon"}, {.text = "0.91", .note = "paper 0.95", .best = true}},
                           {{"CE"}, {.text = "0.90", .link = "ce/config.toml"}}},
                  .footer = {{"mean"}, {"0.905"}}});
  EXPECT_THAT(document.finish(),
              AllOf(HasSubstr("<th scope=\"col\">method</th><th scope=\"col\">accuracy</th>"),
                    HasSubstr("<tr><th scope=\"row\">SupCon</th><td class=\"best\">0.91"
                              "<small>paper 0.95</small></td></tr>"),
                    HasSubstr("<td><a href=\"ce/config.toml\">0.90</a></td>"),
                    HasSubstr("<tfoot><tr><th scope=\"row\">mean</th><td>0.905</td></tr>")));
}

TEST(HtmlDocument, LegendEntriesFadeOtherMarks) {
  LineChart chart{.title = "c", .x = {}, .y = {}};
  for (int i = 0; i < 12; ++i) chart.series.push_back({"s", {{.x = 0, .y = double(i)}}});
  HtmlDocument document("t");
  document.figure(to_svg(chart), "caption");
  EXPECT_THAT(document.finish(),
              AllOf(HasSubstr("svg:has(.k11:is(:hover"), Not(HasSubstr("svg:has(.k12")),
                    HasSubstr("<figcaption>caption</figcaption>")));
}

}  // namespace
}  // namespace projnce::report
