#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/report/chart/lettering.h"

namespace projnce::report {

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  bool operator==(const Color&) const = default;
};

/// "#36509c".
std::string hex(const Color& color);

/// A color for each of `count` classes, all to be seen on white and on near black.
///
/// The first ten stay apart for those who see no red or no green as well; ten more are still
/// distinct. More classes than that go around the circle of hues in steps of the golden angle, in
/// three brightnesses, so that classes beside each other in the list do not look alike.
std::vector<Color> class_colors(size_t count);

/// A place on a drawing, in its units: to the right and down from the upper left corner.
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

/// Colors by their purpose: a report may have others for the dark.
enum class Ink {
  kText,
  kSoft,    ///< what matters less
  kLine,    ///< frames
  kPanel,   ///< what marks are drawn on
  kGround,  ///< behind everything
  kFound,   ///< good news
  kMissed,  ///< bad news
};
Color light_color(Ink ink);

/// How thick the line of a hollow dot is.
inline constexpr double kRingWidth = 1.5;

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  Font font;
  Ink ink = Ink::kText;
  Anchor anchor = Anchor::kStart;
  bool halo = false;  ///< a rim in the panel's color, for text on top of marks
};

/// Marks of one class.
struct MarkStyle {
  size_t number = 0;  ///< the class: what a report fades by
  Color color;
  double radius = 2;
  double opacity = 1;
};

/// A line that belongs to a class.
struct LineStyle {
  size_t number = 0;  ///< the class: what a report fades by
  Color color;
  double width = 2;
  double opacity = 1;
  bool dashed = false;
};

/// Something to draw on. Coordinates and sizes are in units of about a pixel of a screen.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// A box with rounded corners and a light line around it.
  virtual void panel(const Box& box) = 0;
  /// `name` is what a reader who points at one of them is told.
  virtual void dots(std::span<const Point> points, const MarkStyle& style,
                    std::string_view name) = 0;
  /// Hollow dots.
  virtual void rings(std::span<const Point> points, const MarkStyle& style,
                     std::string_view name) = 0;
  /// From point to point. REQUIRES: two points or more.
  virtual void line(std::span<const Point> points, const LineStyle& style,
                    std::string_view name) = 0;
  /// A thin line in the color of frames, to read values by.
  virtual void rule(const Point& from, const Point& to) = 0;
  /// `at` is on the base line. REQUIRES: UTF-8 without control characters.
  virtual void text(const Point& at, std::string_view text, const TextStyle& style) = 0;
  /// Text that belongs to a class.
  virtual void mark_text(const Point& at, std::string_view text, const TextStyle& style,
                         size_t number) = 0;
  /// What is drawn between the two is the key to a class; `box` is where it can be pointed at.
  virtual void begin_key(const Box& box, size_t number) = 0;
  virtual void key_dot(const Point& at, double radius, const Color& color) = 0;
  virtual void end_key() = 0;
};

}  // namespace projnce::report
