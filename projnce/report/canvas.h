#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "projnce/report/geometry.h"
#include "projnce/report/lettering.h"
#include "projnce/report/palette.h"

namespace projnce {

/// Colours by their purpose: a report may have others for the dark.
enum class Ink {
  kText,
  kSoft,    ///< what matters less
  kLine,    ///< frames
  kPanel,   ///< what marks are drawn on
  kGround,  ///< behind everything
  kFound,   ///< good news
  kMissed,  ///< bad news
};
Colour light_colour(Ink ink);

/// How thick the line of a hollow dot is.
inline constexpr double kRingWidth = 1.5;

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  Font font;
  Ink ink = Ink::kText;
  Anchor anchor = Anchor::kStart;
  bool halo = false;  ///< a rim in the panel's colour, for text on top of marks
};

/// Marks of one class.
struct MarkStyle {
  size_t number = 0;  ///< the class: what a report fades by
  Colour colour;
  double radius = 2;
  double opacity = 1;
};

/// A line that belongs to a class.
struct LineStyle {
  size_t number = 0;  ///< the class: what a report fades by
  Colour colour;
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
  /// A thin line in the colour of frames, to read values by.
  virtual void rule(const Point& from, const Point& to) = 0;
  /// `at` is on the base line. REQUIRES: UTF-8 without control characters.
  virtual void text(const Point& at, std::string_view text, const TextStyle& style) = 0;
  /// Text that belongs to a class.
  virtual void mark_text(const Point& at, std::string_view text, const TextStyle& style,
                         size_t number) = 0;
  /// What is drawn between the two is the key to a class; `box` is where it can be pointed at.
  virtual void begin_key(const Box& box, size_t number) = 0;
  virtual void key_dot(const Point& at, double radius, const Colour& colour) = 0;
  virtual void end_key() = 0;
};

}  // namespace projnce
