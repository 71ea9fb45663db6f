#include "projnce/io/html.h"

#include <fmt/format.h>

#include "projnce/io/base64.h"
#include "projnce/io/png_writer.h"

namespace projnce {

namespace {

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --ground: #fbfaf8; --text: #22212a; --soft: #6c6a75;
  --line: #e4e1dc; --panel: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #17161c; --text: #eceaf1; --soft: #9c99a8; --line: #302e39;
    --panel: #1e1d25; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 74rem; background: var(--ground);
  color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; font-weight: 650; overflow-wrap: anywhere; }
p { margin: .4rem 0 0; color: var(--soft); }
img { display: block; max-width: 100%; height: auto; border-radius: 4px; }
footer { padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); }
)";

}  // namespace

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

std::string html_start(std::string_view title, std::string_view style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
      escape_html(title), kPageStyle, style);
}

std::string html_heading(std::string_view title, std::string_view summary) {
  return fmt::format("<header><h1>{}</h1><p>{}</p></header>\n", escape_html(title),
                     escape_html(summary));
}

std::string inline_picture(const Image& picture, std::string_view alt) {
  return fmt::format(
      "<img width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">\n",
      picture.width, picture.height, escape_html(alt), base64(encode_png(picture)));
}

}  // namespace projnce
