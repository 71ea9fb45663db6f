#include "projnce/report/map_classes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/report/lettering.h"

namespace projnce {

namespace {

constexpr size_t kLastingColours = 20;
constexpr uint64_t kShuffleSeed = 1;

std::string class_name_of(const ScatterMap& map, int64_t label) {
  if (map.labels.empty()) return "all samples";
  if (map.class_names.empty()) return std::to_string(label);
  return display_name(map.class_names[static_cast<size_t>(label)]);
}

void check_map(const ScatterMap& map) {
  const size_t samples = map.positions.size() / 2;
  if (map.positions.empty()) fail("a map needs at least one sample, got none");
  if (map.positions.size() % 2 != 0) {
    fail("a map needs two numbers for each sample, got ", map.positions.size(), " numbers");
  }
  if (map.labels.empty()) return;
  if (map.labels.size() != samples) {
    fail("a map needs a label for each sample, got ", map.labels.size(), " labels for ", samples,
         " samples");
  }
  if (map.class_names.empty()) return;
  const auto names = static_cast<int64_t>(map.class_names.size());
  for (const auto label : map.labels) {
    if (label < 0 || label >= names) {
      fail("label ", label, " of a map has no name: there are names for 0 to ", names - 1);
    }
  }
}

}  // namespace

std::vector<MapClass> find_map_classes(const ScatterMap& map) {
  check_map(map);
  std::map<int64_t, std::vector<size_t>> by_label;
  for (size_t i = 0; i < map.positions.size() / 2; ++i) {
    const bool finite =
        std::isfinite(map.positions[2 * i]) && std::isfinite(map.positions[2 * i + 1]);
    if (finite) by_label[map.labels.empty() ? 0 : map.labels[i]].push_back(i);
  }
  if (by_label.empty()) fail("no sample of the map has a position that is a finite number");

  const size_t named = map.labels.empty() ? 0 : map.class_names.size();
  const bool lasting = named > 0 && named <= kLastingColours;
  const auto colours = class_colours(lasting ? named : by_label.size());
  std::vector<MapClass> classes;
  for (auto& [label, samples] : by_label) {
    Random(derive_seed(kShuffleSeed, classes.size())).shuffle(samples);
    classes.push_back({class_name_of(map, label),
                       colours[lasting ? static_cast<size_t>(label) : classes.size()],
                       std::move(samples)});
  }
  return classes;
}

}  // namespace projnce
