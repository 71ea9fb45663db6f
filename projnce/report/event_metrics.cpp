#include "projnce/report/event_metrics.h"

#include <limits>
#include <string>

namespace projnce {

namespace {

using nlohmann::ordered_json;

std::string metrics_group(const std::string& split, const std::string& name) {
  if (name == "step") return split;
  return name == "epoch" ? split + "_epoch" : split + "/" + name;
}

/// Where and when the values of a line belong.
struct CurvePlace {
  EventFile& file;
  int64_t step;
  double wall_time;

  void add(const std::string& tag, const ordered_json& value) const {
    if (value.is_number()) {
      file.scalar(tag, step, value.get<double>(), wall_time);
    } else if (value.is_null()) {
      file.scalar(tag, step, std::numeric_limits<double>::quiet_NaN(), wall_time);
    } else if (value.is_array() && value.size() == 2) {
      add(tag + "/low", value[0]);
      add(tag + "/high", value[1]);
    }
  }
};

}  // namespace

void add_metrics(EventFile& file, const ordered_json& line, double wall_time) {
  const auto group =
      metrics_group(line.at("split").get<std::string>(), line.at("name").get<std::string>());
  const CurvePlace place{file, line.at("step").get<int64_t>(), wall_time};
  for (const auto& [name, value] : line.at("value").items()) place.add(group + "/" + name, value);
  file.flush();
}

}  // namespace projnce
