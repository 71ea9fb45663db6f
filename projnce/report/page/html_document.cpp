#include "projnce/report/page/html_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "projnce/io/printable.h"
#include "projnce/report/chart/canvas.h"

namespace projnce::report {

namespace {

constexpr std::string_view kSharedStyle = R"(
:root { color-scheme: light dark; --ground: #fbfaf8; --text: #22212a; --soft: #6c6a75;
  --line: #e4e1dc; --panel: #ffffff; --accent: #36509c; --good: #2c7a3f; --bad: #b3402a; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #17161c; --text: #eceaf1; --soft: #9c99a8; --line: #302e39; --panel: #1e1d25;
    --accent: #8ea6f5; --good: #7fce90; --bad: #f09a84; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 74rem; background: var(--ground);
  color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 2.4rem 0 0; font-size: 1.15rem; font-weight: 650; overflow-wrap: anywhere; }
p { margin: .4rem 0 0; color: var(--soft); }
body > p, header p, body > ul { max-width: 52rem; }
ul { margin: .7rem 0 0; padding-left: 1.2rem; }
li { margin-top: .3rem; }
a { color: var(--accent); text-underline-offset: .2em; }
footer { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); }
pre { margin: 1.1rem 0 0; padding: .7rem 1rem; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 8px; font-size: .87rem; }
.wide { margin-top: .9rem; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .9rem; text-align: right; vertical-align: top; white-space: nowrap; }
tr > :nth-child(1) { text-align: left; }
tbody tr, tfoot tr { border-top: 1px solid var(--line); }
thead th { font-size: .84rem; font-weight: 600; color: var(--soft); vertical-align: bottom;
  white-space: normal; }
tbody th { position: sticky; left: 0; background: var(--panel); font-weight: 600; }
.best { font-weight: 700; color: var(--good); }
td small { display: block; font-size: .78rem; font-weight: 400; color: var(--soft); }
tfoot th, tfoot td { font-size: .84rem; font-weight: 400; color: var(--soft); }
details { margin-top: 2.4rem; }
summary { font-size: 1.15rem; font-weight: 650; cursor: pointer; }
.chart { margin: 1.1rem 0 0; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 10px; }
.chart svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.chart figcaption { padding: 0 1.5rem 1rem; font-size: .84rem; color: var(--soft); }
.chart .ground { fill: var(--panel); }
.chart .panel { fill: var(--panel); stroke: var(--line); }
.chart .rule { stroke: var(--line); }
.chart .text { fill: var(--text); }
.chart .soft { fill: var(--soft); }
.chart .halo { stroke: var(--panel); }
.mark { transition: opacity .12s; }
text.mark { pointer-events: none; }
.key { cursor: default; outline: none; }
.key rect { pointer-events: all; }
.key:is(:hover, :focus-visible) rect { fill: var(--line); }
@media (max-width: 40rem) {
  body { padding: 1.5rem .9rem 3rem; }
  th, td { padding: .5rem .6rem; }
}
)";

/// Returns one CSS rule per legend entry: hovering over it fades the other marks.
std::string fading_rules(size_t keys) {
  std::string rules;
  for (size_t i = 0; i < keys; ++i) {
    rules += fmt::format(
        "svg:has(.k{0}:is(:hover, :focus-visible)) .mark:not(.c{0}) {{ opacity: .08; }}\n", i);
  }
  return rules;
}

/// Returns one more than the highest legend entry number in the drawing.
size_t count_keys(std::string_view svg) {
  constexpr std::string_view kKey = "class=\"key k";
  size_t keys = 0;
  for (size_t at = svg.find(kKey); at != svg.npos; at = svg.find(kKey, at + 1)) {
    size_t number = 0;
    const auto* digits = svg.data() + at + kKey.size();
    std::from_chars(digits, svg.data() + svg.size(), number);
    keys = std::max(keys, number + 1);
  }
  return keys;
}

std::string prose_html(std::string_view text) {
  std::string html;
  const auto pieces = prose_pieces(text);
  for (size_t i = 0; i < pieces.size(); ++i) {
    html += i % 2 == 0 ? io::escape_html(pieces[i])
                       : fmt::format("<code>{}</code>", io::escape_html(pieces[i]));
  }
  return html;
}

std::string cell_html(const HtmlCell& cell, bool names_row) {
  auto text = io::escape_html(display_name(cell.text));
  if (!cell.link.empty()) {
    text = fmt::format("<a href=\"{}\">{}</a>", io::escape_html(cell.link), text);
  }
  if (!cell.note.empty()) {
    text += fmt::format("<small>{}</small>", io::escape_html(display_name(cell.note)));
  }
  if (names_row) return fmt::format("<th scope=\"row\">{}</th>", text);
  return fmt::format("<td{}>{}</td>", cell.best ? " class=\"best\"" : "", text);
}

std::string row_html(const std::vector<HtmlCell>& cells) {
  std::string html = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) html += cell_html(cells[i], i == 0);
  return html + "</tr>\n";
}

}  // namespace

HtmlDocument::HtmlDocument(std::string_view title, std::string_view style)
    : title_(title), style_(style) {}

void HtmlDocument::header(std::string_view title, std::string_view summary) {
  body_ += fmt::format("<header><h1>{}</h1><p>{}</p></header>\n",
                       io::escape_html(display_name(title)), prose_html(summary));
}

void HtmlDocument::section(std::string_view title) {
  body_ += fmt::format("<h2>{}</h2>\n", io::escape_html(display_name(title)));
}

void HtmlDocument::paragraph(std::string_view text) {
  if (!text.empty()) body_ += fmt::format("<p>{}</p>\n", prose_html(text));
}

void HtmlDocument::list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const auto& item : items) body_ += fmt::format("<li>{}</li>\n", prose_html(item));
  body_ += "</ul>\n";
}

void HtmlDocument::code(std::string_view text) {
  body_ += fmt::format("<pre><code>{}</code></pre>\n", io::escape_html(text));
}

void HtmlDocument::table(const HtmlTable& table) {
  body_ += "<div class=\"wide\"><table>\n<thead><tr>";
  for (const auto& name : table.header) {
    body_ += fmt::format("<th scope=\"col\">{}</th>", io::escape_html(display_name(name)));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) body_ += row_html(row);
  body_ += "</tbody>\n";
  if (!table.footer.empty()) body_ += "<tfoot>" + row_html(table.footer) + "</tfoot>\n";
  body_ += "</table></div>\n";
}

void HtmlDocument::folded_table(std::string_view title, const HtmlTable& rows) {
  body_ += fmt::format("<details><summary>{}</summary>\n", io::escape_html(display_name(title)));
  table(rows);
  body_ += "</details>\n";
}

void HtmlDocument::figure(std::string_view svg, std::string_view caption) {
  keys_ = std::max(keys_, count_keys(svg));
  body_ += fmt::format("<figure class=\"chart\">{}", svg);
  if (!caption.empty()) {
    body_ += fmt::format("<figcaption>{}</figcaption>", io::escape_html(display_name(caption)));
  }
  body_ += "</figure>\n";
}

void HtmlDocument::footer(std::string_view text) {
  body_ += fmt::format("<footer>{}</footer>\n", prose_html(text));
}

void HtmlDocument::markup(std::string_view html) {
  body_ += html;
}

std::string HtmlDocument::finish() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      io::escape_html(title_), kSharedStyle, fading_rules(keys_), style_, body_);
}

}  // namespace projnce::report
