#include "projnce/dataset/contact_page.h"

#include <fmt/format.h>

#include <string_view>

#include "projnce/io/base64.h"
#include "projnce/io/png_writer.h"

namespace projnce {

namespace {

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --ground: #fbfaf8; --text: #22212a; --soft: #6c6a75;
  --line: #e4e1dc; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #17161c; --text: #eceaf1; --soft: #9c99a8; --line: #302e39; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 74rem; background: var(--ground);
  color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; font-weight: 650; overflow-wrap: anywhere; }
p { margin: .4rem 0 0; color: var(--soft); }
main { margin-top: 1.75rem; }
section { display: grid; grid-template-columns: 10.5rem minmax(0, 1fr); gap: .25rem 1.25rem;
  align-items: center; padding: .8rem 0; border-top: 1px solid var(--line); }
h2 { margin: 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
section p { margin: .1rem 0 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
img { display: block; max-width: 100%; height: auto; border-radius: 4px; }
footer { padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); }
@media (max-width: 44rem) { section { grid-template-columns: minmax(0, 1fr); } }
)";

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string row_html(const SheetRow& row) {
  const auto name = escape_html(row.name);
  auto html = fmt::format("<section>\n<div><h2>{}</h2><p>{} train, {} test</p></div>\n", name,
                          row.train, row.test);
  if (row.tiles.empty()) {
    html += "<p>no samples</p>\n";
  } else {
    const auto picture = row_picture(row);
    html += fmt::format(
        "<img width=\"{}\" height=\"{}\" alt=\"{} samples of {}\" "
        "src=\"data:image/png;base64,{}\">\n",
        picture.width, picture.height, row.tiles.size(), name, base64(encode_png(picture)));
  }
  return html + "</section>\n";
}

/// What a reader must know to understand the tiles.
std::string legend(SampleKind kind) {
  switch (kind) {
    case SampleKind::kSound:
      return "Log-mel spectrograms: time runs to the right, low frequencies are at the bottom, "
             "bright is loud. ";
    case SampleKind::kVector:
      return "Vectors, row by row in a square, from their smallest number (dark) to their largest "
             "(bright). ";
    case SampleKind::kImage:
      break;
  }
  return {};
}

}  // namespace

std::string contact_page(const ContactSheet& sheet, const std::string& title,
                         const std::string& summary) {
  const auto heading = escape_html(title);
  auto html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<header><h1>{}</h1><p>{}</p></header>"
      "\n<main>\n",
      heading, kPageStyle, heading, escape_html(summary));
  for (const auto& row : sheet.rows) html += row_html(row);
  html += "</main>\n<footer>";
  html += legend(sheet.kind);
  html += fmt::format(
      "Up to {} samples of a class, spread evenly; a cross stands for one that "
      "cannot be read.",
      sheet.options.columns);
  if (sheet.hidden_classes > 0) {
    html += fmt::format(" {} more classes are not shown.", sheet.hidden_classes);
  }
  return html + "</footer>\n</body>\n</html>\n";
}

}  // namespace projnce
