#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::report {

/// DejaVu Sans; the size is in drawing units.
struct Font {
  double size = 13;
  bool bold = false;
};

/// Returns the width of a line of text, the same for every kind of canvas. REQUIRES: UTF-8 without
/// control characters.
double text_width(std::string_view text, const Font& font);

enum class Cut { kStart, kEnd };

/// Returns `text` if it fits into `width`, else truncates it and adds an ellipsis at the end or at
/// the start.
std::string shorten(std::string_view text, const Font& font, double width, Cut cut = Cut::kEnd);

/// Sanitizes an untrusted name for one line of any canvas: control characters and invalid UTF-8
/// become \xNN, noncharacters become U+FFFD, and very long names are truncated with an ellipsis.
std::string display_name(std::string_view name);

/// Formats with narrow spaces between groups of digits: 12 345 678.
std::string grouped(int64_t number);

/// Splits prose into pieces that alternate between plain text and code between a pair of `. Runs of
/// white space become one space. An unpaired ` is an ordinary character.
std::vector<std::string> prose_pieces(std::string_view text);

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  bool operator==(const Color&) const = default;
};

/// Formats a color as "#36509c".
std::string hex(const Color& color);

/// Returns one color per class, all visible on white and on near-black backgrounds.
///
/// The first ten colors are distinguishable with red-green color blindness; the next ten are still
/// distinct. With more than twenty classes, hues advance by the golden angle at three lightness
/// levels, so that adjacent classes look different.
std::vector<Color> class_colors(size_t count);

/// Position in drawing units; the origin is the upper left corner, y points down.
struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  Point middle() const { return {left + width / 2, top + height / 2}; }
  bool overlaps(const Box& other) const {
    return left < other.right() && other.left < right() && top < other.bottom() &&
           other.top < bottom();
  }
  bool contains(const Point& point) const {
    return point.x >= left && point.x <= right() && point.y >= top && point.y <= bottom();
  }
};

/// Colors by role; a report may override them in dark mode.
enum class Ink {
  kText,
  kSoft,    ///< secondary text
  kLine,    ///< frames
  kPanel,   ///< plot background
  kGround,  ///< page background
  kFound,   ///< positive results
  kMissed,  ///< negative results
};
Color light_color(Ink ink);

/// Line width of a ring.
inline constexpr double kRingWidth = 1.5;

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  Font font;
  Ink ink = Ink::kText;
  Anchor anchor = Anchor::kStart;
  bool halo = false;  ///< outline in the panel color, for text on top of marks
};

/// Style of the marks of one class.
struct MarkStyle {
  size_t number = 0;  ///< class; a report fades the marks of other classes
  Color color;
  double radius = 2;
  double opacity = 1;
};

/// Style of a line that belongs to a class.
struct LineStyle {
  size_t number = 0;  ///< class; a report fades the lines of other classes
  Color color;
  double width = 2;
  double opacity = 1;
  bool dashed = false;
};

/// Drawing surface. Coordinates and sizes are in units of about one screen pixel.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// Draws a box with rounded corners and a light border.
  virtual void panel(const Box& box) = 0;
  /// Draws filled dots; `name` is their tooltip.
  virtual void dots(std::span<const Point> points, const MarkStyle& style,
                    std::string_view name) = 0;
  /// Draws hollow dots.
  virtual void rings(std::span<const Point> points, const MarkStyle& style,
                     std::string_view name) = 0;
  /// Draws a polyline. REQUIRES: at least two points.
  virtual void line(std::span<const Point> points, const LineStyle& style,
                    std::string_view name) = 0;
  /// Draws a thin grid line.
  virtual void rule(const Point& from, const Point& to) = 0;
  /// Draws text; `at` is on the baseline. REQUIRES: UTF-8 without control characters.
  virtual void text(const Point& at, std::string_view text, const TextStyle& style) = 0;
  /// Draws text that belongs to a class.
  virtual void mark_text(const Point& at, std::string_view text, const TextStyle& style,
                         size_t number) = 0;
  /// begin_key and end_key enclose the legend entry of a class; `box` is its hover area.
  virtual void begin_key(const Box& box, size_t number) = 0;
  virtual void key_dot(const Point& at, double radius, const Color& color) = 0;
  virtual void end_key() = 0;
};

}  // namespace projnce::report
