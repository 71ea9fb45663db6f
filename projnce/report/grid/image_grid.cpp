#include "projnce/report/grid/image_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "projnce/core/error.h"
#include "projnce/io/digest.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_writer.h"
#include "projnce/io/printable.h"
#include "projnce/report/chart/png_canvas.h"
#include "projnce/report/page/html_document.h"

namespace projnce::report {

namespace {

constexpr double kGridScale = 2;  // pixels per unit
constexpr int kPlayerWidth = 144;
constexpr double kGridMargin = 28;
constexpr double kCaptionHeight = 56;
constexpr double kSectionTitleWidth = 150;
constexpr double kLeastGridWidth = 600;  // for the heading
constexpr Font kGridTitleFont = {.size = 20, .bold = true};
constexpr Font kGridSummaryFont = {.size = 13};
constexpr Font kGridCaptionFont = {.size = 12, .bold = true};
constexpr Font kGridSmallFont = {.size = 11};

constexpr std::string_view kGridStyle = R"(
main { margin: 1.75rem 0; }
section { padding: .8rem 0; }
.titled { display: grid; grid-template-columns: 10.5rem minmax(0, 1fr); gap: .25rem 1.25rem;
  border-top: 1px solid var(--line); }
h2 { margin: 0; font-size: 1rem; }
section p { font-size: .85rem; font-variant-numeric: tabular-nums; }
.tiles { display: flex; flex-wrap: wrap; gap: .3rem; }
.captioned { gap: 1.4rem 1.1rem; }
.tiles figure { margin: 0; }
.tiles img { display: block; background: var(--panel); border-radius: 4px; }
.captioned img { border: 1px solid var(--line); }
.tiles audio { display: block; width: 100%; height: 2.2rem; margin-top: .4rem; }
.tiles small { font-size: .75rem; color: var(--soft); }
figcaption { margin-top: .45rem; font-size: .82rem; line-height: 1.4; overflow-wrap: anywhere; }
figcaption b { font-weight: 620; font-size: .92rem; }
figcaption small { display: block; font-size: inherit; }
figcaption p { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .5rem;
  margin: 0; }
.good { color: var(--good); }
.bad { color: var(--bad); }
@media (max-width: 44rem) { .titled { grid-template-columns: minmax(0, 1fr); } }
)";

std::string escaped(std::string_view text) {
  return io::escape_html(display_name(text));
}

bool has_caption(const GridTile& tile) {
  return !tile.label.empty() || !tile.name.empty() || !tile.score.empty();
}

template <class Predicate>
bool any_tile(const ImageGrid& grid, const Predicate& predicate) {
  return std::any_of(grid.sections.begin(), grid.sections.end(), [&](const auto& section) {
    return std::any_of(section.tiles.begin(), section.tiles.end(), predicate);
  });
}

bool has_titles(const ImageGrid& grid) {
  return std::any_of(grid.sections.begin(), grid.sections.end(),
                     [](const auto& section) { return !section.title.empty(); });
}

constexpr std::string_view kArrow = " → ";

/// Returns "label → suggested"; if it is too wide, the longer name is truncated first.
std::string fitted_labels(const GridTile& tile, double width) {
  const auto label = display_name(tile.label);
  const auto suggested = display_name(tile.suggested);
  if (suggested.empty()) return shorten(label, kGridCaptionFont, width);
  const double room = width - text_width(kArrow, kGridCaptionFont);
  const auto fit = [&](const std::string& name, const std::string& other) {
    return shorten(name, kGridCaptionFont,
                   std::max(room / 2, room - text_width(other, kGridCaptionFont)));
  };
  return fit(label, suggested).append(kArrow) + fit(suggested, label);
}

std::string player_html(const dataset::AudioExcerpt& clip) {
  if (clip.wav.empty()) return {};
  return fmt::format(
      "<audio controls preload=\"none\" src=\"data:audio/wav;base64,{}\"></audio>"
      "<small>{}</small>",
      io::base64(clip.wav), dataset::clip_length_text(clip));
}

std::string caption_html(const GridTile& tile) {
  if (!has_caption(tile)) return {};
  auto html = fmt::format("<figcaption><b>{}{}{}</b><small>{}</small><p>{}", escaped(tile.label),
                          tile.suggested.empty() ? "" : kArrow, escaped(tile.suggested),
                          escaped(tile.name), escaped(tile.score));
  if (!tile.verdict.empty()) {
    html += fmt::format(" <span class=\"{}\">{}</span>", tile.verdict_good ? "good" : "bad",
                        escaped(tile.verdict));
  }
  return html + "</p></figcaption>";
}

std::string tile_html(const GridTile& tile, int side) {
  const int width = tile.audio.wav.empty() ? side : std::max(side, kPlayerWidth);
  return fmt::format(
      "<figure style=\"width:{}px\"><img width=\"{}\" height=\"{}\" alt=\"{}\" "
      "src=\"data:image/png;base64,{}\">{}{}</figure>\n",
      width, side, side, escaped(tile.name), io::base64(io::encode_png(tile.image)),
      player_html(tile.audio), caption_html(tile));
}

std::string section_html(const GridSection& section, int side, bool titled, bool captioned) {
  std::string html = titled ? "<section class=\"titled\">\n" : "<section>\n";
  if (titled) {
    html += fmt::format("<div><h2>{}</h2><p>{}</p></div>\n", escaped(section.title),
                        escaped(section.note));
  }
  html += captioned ? "<div class=\"tiles captioned\">\n" : "<div class=\"tiles\">\n";
  for (const auto& tile : section.tiles) html += tile_html(tile, side);
  if (section.tiles.empty() && titled) html += "<p>no samples</p>\n";
  return html + "</div>\n</section>\n";
}

/// Draws the PNG from top to bottom.
class GridDrawing {
 public:
  explicit GridDrawing(const ImageGrid& grid)
      : grid_(grid),
        captioned_(any_tile(grid, has_caption)),
        gap_(captioned_ ? 20 : 4),
        left_(kGridMargin + (has_titles(grid) ? kSectionTitleWidth : 0)),
        columns_(std::clamp<size_t>(most_tiles(), 1, grid.columns)),
        width_(std::max(left_ + static_cast<double>(columns_) * step() - gap_,
                        kGridMargin + kLeastGridWidth)),
        canvas_(width_ + kGridMargin, height(), kGridScale) {}

  Image draw() {
    line(grid_.title, {.font = kGridTitleFont});
    line(grid_.summary, {.font = kGridSummaryFont, .ink = Ink::kSoft});
    top_ += kGridTop;
    for (const auto& section : grid_.sections) draw_section(section);
    for (const auto& remark : grid_.remarks) {
      line(remark, {.font = kGridSmallFont, .ink = Ink::kSoft});
    }
    return canvas_.finish();
  }

 private:
  static constexpr double kGridTop = 10;  // between the heading and the grid

  double step() const { return grid_.tile + gap_; }
  double row_height() const { return step() + (captioned_ ? kCaptionHeight : 0); }

  size_t most_tiles() const {
    size_t most = 0;
    for (const auto& section : grid_.sections) most = std::max(most, section.tiles.size());
    return most;
  }
  double section_height(const GridSection& section) const {
    const size_t rows = std::max<size_t>((section.tiles.size() + columns_ - 1) / columns_, 1);
    return static_cast<double>(rows) * row_height();
  }
  static double line_height(const std::string& text, const Font& font) {
    return text.empty() ? 0 : font.size * 1.55;
  }
  double height() const {
    double total = 2 * kGridMargin + line_height(grid_.title, kGridTitleFont) +
                   line_height(grid_.summary, kGridSummaryFont) + kGridTop;
    for (const auto& section : grid_.sections) total += section_height(section);
    for (const auto& remark : grid_.remarks) total += line_height(remark, kGridSmallFont);
    return total;
  }

  void line(const std::string& text, const TextStyle& style) {
    write({kGridMargin, top_ + style.font.size}, text, style, width_ - kGridMargin);
    top_ += line_height(text, style.font);
  }

  void write(const Point& at, const std::string& text, const TextStyle& style, double room,
             Cut cut = Cut::kEnd) {
    canvas_.text(at, shorten(display_name(text), style.font, room, cut), style);
  }

  void draw_section(const GridSection& section) {
    if (!section.title.empty()) {
      const double room = kSectionTitleWidth - 12;
      write({kGridMargin, top_ + 16}, section.title, {.font = kGridCaptionFont}, room);
      write({kGridMargin, top_ + 32}, section.note, {.font = kGridSmallFont, .ink = Ink::kSoft},
            room);
    }
    for (size_t i = 0; i < section.tiles.size(); ++i) {
      draw_tile(section.tiles[i], {left_ + static_cast<double>(i % columns_) * step(),
                                   top_ + static_cast<double>(i / columns_) * row_height()});
    }
    top_ += section_height(section);
  }

  void draw_tile(const GridTile& tile, const Point& corner) {
    const double side = grid_.tile;
    const Box box{corner.x, corner.y, side, side};
    if (captioned_) canvas_.panel(box);
    canvas_.image(tile.image, box);
    if (!captioned_) return;
    const TextStyle soft{.font = kGridSmallFont, .ink = Ink::kSoft};
    canvas_.text({box.left, box.bottom() + 19}, fitted_labels(tile, side),
                 {.font = kGridCaptionFont});
    write({box.left, box.bottom() + 35}, tile.name, soft, side, Cut::kStart);
    write({box.left, box.bottom() + 51}, tile.score, soft, side);
    write({box.right(), box.bottom() + 51}, tile.verdict,
          {.font = kGridSmallFont,
           .ink = tile.verdict_good ? Ink::kFound : Ink::kMissed,
           .anchor = Anchor::kEnd},
          side);
  }

  const ImageGrid& grid_;
  bool captioned_;
  double gap_;
  double left_;
  size_t columns_;
  double width_;  // without the right margin
  PngCanvas canvas_;
  double top_ = kGridMargin;
};

bool is_png_name(const std::filesystem::path& file) {
  return io::has_extension(file.native(), {".png"});
}

}  // namespace

int grid_tile_pixels(const std::filesystem::path& file, int tile) {
  return is_png_name(file) ? static_cast<int>(kGridScale) * tile : tile;
}

void check_grid_name(const std::filesystem::path& file, std::string_view what) {
  if (!io::has_extension(file.native(), {".png", ".html"})) {
    fail("the file name of ", what, " must end in .html or .png, got ",
         io::printable(file.native()));
  }
}

std::string grid_html(const ImageGrid& grid) {
  HtmlDocument document(grid.title, kGridStyle);
  document.header(grid.title, display_name(grid.summary));
  document.markup("<main>\n");
  const bool titled = has_titles(grid);
  const bool captioned = any_tile(grid, has_caption);
  for (const auto& section : grid.sections) {
    document.markup(section_html(section, grid.tile, titled, captioned));
  }
  document.markup("</main>\n");
  std::string remarks;
  for (const auto& remark : grid.remarks) remarks += (remarks.empty() ? "" : " ") + remark;
  if (!remarks.empty()) document.footer(remarks);
  return document.finish();
}

Image grid_image(const ImageGrid& grid) {
  return GridDrawing(grid).draw();
}

void write_image_grid(const std::filesystem::path& file, const ImageGrid& grid) {
  if (!is_png_name(file)) return io::write_file_atomically(file, grid_html(grid));
  const auto png = io::encode_png(grid_image(grid));
  io::write_file_atomically(file, std::as_bytes(std::span(png)));
}

}  // namespace projnce::report
