#include "projnce/report/cluster_labels.h"

#include <algorithm>
#include <array>

namespace projnce {

namespace {

constexpr double kWidestLabel = 9.5;  // times the letters' size
constexpr double kLabelMargin = 5;    // to the frame
constexpr double kFarthestStep = 3;   // heights of a label, up or down

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double squared_distance(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// The box pushed into the frame.
Box pushed_inside(Box box, const Box& frame) {
  box.left =
      std::clamp(box.left, frame.left + kLabelMargin,
                 std::max(frame.left + kLabelMargin, frame.right() - kLabelMargin - box.width));
  box.top =
      std::clamp(box.top, frame.top + kLabelMargin,
                 std::max(frame.top + kLabelMargin, frame.bottom() - kLabelMargin - box.height));
  return box;
}

/// Where a label may go, the best first: its middle, then a little up, down and aside.
std::vector<Box> places_near(const Box& wish, const Box& frame) {
  std::vector<Box> places;
  for (double step = 0; step <= kFarthestStep; step += 0.5) {
    for (const double up : {-step, step}) {
      for (const double aside : {0.0, -0.25, 0.25, -0.5, 0.5}) {
        if (step == 0 && aside != 0) continue;
        Box moved = wish;
        moved.top += up * wish.height;
        moved.left += aside * wish.width;
        places.push_back(pushed_inside(moved, frame));
      }
    }
  }
  return places;
}

}  // namespace

Point cluster_middle(std::vector<Point> points) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& point : points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  const Point median{middle_of(std::move(xs)), middle_of(std::move(ys))};
  return *std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return squared_distance(a, median) < squared_distance(b, median);
  });
}

std::vector<ClusterLabel> place_labels(const std::vector<ClusterName>& names, const Font& font,
                                       const Box& frame) {
  std::vector<ClusterLabel> labels;
  for (const auto& name : names) {
    const auto text = shorten(name.name, font, kWidestLabel * font.size);
    const double width = text_width(text, font) + 4;
    const double height = font.size * 1.15;
    const Box wish{name.at.x - width / 2, name.at.y - height / 2, width, height};
    const auto places = places_near(wish, frame);
    const auto free = std::find_if(places.begin(), places.end(), [&](const Box& place) {
      return std::none_of(labels.begin(), labels.end(),
                          [&](const auto& label) { return label.box.overlaps(place); });
    });
    if (free == places.end()) continue;
    labels.push_back(
        {name.number, text, *free, {free->middle().x, free->middle().y + font.size * 0.36}});
  }
  return labels;
}

}  // namespace projnce
