#include "projnce/dataset/contact_page.h"

#include <fmt/format.h>

#include <string_view>

#include "projnce/dataset/sample_tile.h"
#include "projnce/io/html.h"

namespace projnce {

namespace {

constexpr std::string_view kSheetStyle = R"(
main { margin-top: 1.75rem; }
section { display: grid; grid-template-columns: 10.5rem minmax(0, 1fr); gap: .25rem 1.25rem;
  align-items: center; padding: .8rem 0; border-top: 1px solid var(--line); }
h2 { margin: 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
.sounds { grid-column: 2; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .5rem; }
.sounds audio { width: 9rem; height: 2rem; }
.sounds small { margin-right: .75rem; color: var(--soft); }
section p { margin: .1rem 0 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
@media (max-width: 44rem) {
  section { grid-template-columns: minmax(0, 1fr); }
  .sounds { grid-column: 1; }
}
)";

std::string row_html(const SheetRow& row) {
  auto html = fmt::format("<section>\n<div><h2>{}</h2><p>{} train, {} test</p></div>\n",
                          escape_html(row.name), row.train, row.test);
  if (row.tiles.empty()) {
    html += "<p>no samples</p>\n";
  } else {
    html += inline_picture(row_picture(row),
                           fmt::format("{} samples of {}", row.tiles.size(), row.name));
  }
  if (!row.sounds.empty()) {
    html += "<div class=\"sounds\">";
    for (const auto& clip : row.sounds) html += sound_player(clip);
    html += "</div>\n";
  }
  return html + "</section>\n";
}

}  // namespace

std::string contact_page(const ContactSheet& sheet, const std::string& title,
                         const std::string& summary) {
  auto html = html_start(title, kSheetStyle);
  html += html_heading(title, summary);
  html += "<main>\n";
  for (const auto& row : sheet.rows) html += row_html(row);
  html += "</main>\n<footer>";
  html += explain_tiles(sheet.kind);
  html += fmt::format(
      "Up to {} samples of a class, spread evenly; a cross stands for one that "
      "cannot be read.",
      sheet.options.columns);
  if (sheet.hidden_classes > 0) {
    html += fmt::format(" {} more classes are not shown.", sheet.hidden_classes);
  }
  html += "</footer>\n";
  html += kHtmlEnd;
  return html;
}

}  // namespace projnce
