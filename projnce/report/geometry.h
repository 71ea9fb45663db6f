#pragma once

namespace projnce {

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

}  // namespace projnce
