#include "projnce/report/suspect_page.h"

#include <fmt/format.h>

#include "projnce/io/html.h"

namespace projnce {

namespace {

constexpr std::string_view kSuspectStyle = R"(
:root { --found: #2c7a3f; --missed: #b3402a; }
@media (prefers-color-scheme: dark) { :root { --found: #7fce90; --missed: #f09a84; } }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr));
  gap: 1.5rem 1.1rem; margin: 1.75rem 0; }
figure { margin: 0; min-width: 0; }
figure img { width: 100%; background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; }
figure audio { display: block; width: 100%; height: 2.2rem; margin-top: .4rem; }
figure small { color: var(--soft); font-size: .75rem; }
figcaption { margin-top: .45rem; font-size: .82rem; line-height: 1.4; overflow-wrap: anywhere; }
figcaption b { font-weight: 620; font-size: .92rem; }
figcaption small { font-size: inherit; color: var(--soft); display: block; }
figcaption p { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .5rem;
  margin: 0; font-variant-numeric: tabular-nums; }
.found { color: var(--found); }
.missed { color: var(--missed); }
)";

std::string tile_html(const SuspectTile& tile) {
  auto html = fmt::format("<figure>{}{}<figcaption><b>{} → {}</b><small>{}</small><p>{}",
                          inline_picture(tile.picture, tile.sample), sound_player(tile.sound),
                          escape_html(tile.given), escape_html(tile.suggested),
                          escape_html(tile.sample), escape_html(tile.score));
  if (!tile.verdict.empty()) {
    html += fmt::format(" <span class=\"{}\">{}</span>", tile.really_wrong ? "found" : "missed",
                        escape_html(tile.verdict));
  }
  return html + "</p></figcaption></figure>\n";
}

}  // namespace

std::string suspect_page(const SuspectTiles& sheet) {
  auto html = html_start(sheet.title.empty() ? "suspects" : sheet.title, kSuspectStyle);
  html += html_heading(sheet.title, sheet.summary);
  html += "<main>\n";
  for (const auto& tile : sheet.tiles) html += tile_html(tile);
  html += "</main>\n<footer>";
  for (const auto& remark : sheet.remarks) html += escape_html(remark) + '\n';
  html += "</footer>\n";
  html += kHtmlEnd;
  return html;
}

}  // namespace projnce
