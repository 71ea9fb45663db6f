#include "projnce/pipeline/input_options.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/loader/channel_stats.h"

namespace projnce {

namespace {

constexpr int64_t kLargestKeptSize = 96;  // squares up to this size are taken as they are
constexpr int64_t kLargestGuess = 64;     // larger pictures are reduced: a CPU has to train them
constexpr int64_t kLookedAt = 200;

struct Looks {
  int64_t size;
  int64_t channels;
};

Looks look_at(const Dataset& dataset) {
  const int64_t count = std::min(dataset.size(), kLookedAt);
  std::vector<int64_t> sides;
  bool same_square = true;
  int64_t channels = 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto image = dataset.decode(i * dataset.size() / count);
    sides.push_back(std::min(image.height, image.width));
    channels = std::max<int64_t>(channels, image.channels);
    same_square = same_square && image.height == image.width && sides.back() == sides.front();
  }
  if (same_square && sides.front() <= kLargestKeptSize) return {sides.front(), channels};
  std::nth_element(sides.begin(), sides.begin() + count / 2, sides.end());
  return {std::min(sides[count / 2], kLargestGuess), channels};
}

}  // namespace

ViewFormat InputOptions::format() const {
  return {.channels = static_cast<int>(channels),
          .image_size = static_cast<int>(image_size),
          .mean = mean,
          .std = std};
}

InputOptions read_input_options(Table& table) {
  InputOptions options;
  TableReader(table, "input")
      .field("image_size", options.image_size, between(0, 4096))
      .field("channels", options.channels, between(0, 3))
      .field("mean", options.mean, between(0, 1))
      .field("std", options.std, above(0))
      .done();
  if (options.channels == 2) fail("[input] channels = 2: pictures have 1 or 3 channels");
  if (options.mean.size() != options.std.size()) {
    fail("[input] mean has ", options.mean.size(), " values and std ", options.std.size(),
         "; both need one for each channel");
  }
  return options;
}

InputOptions resolve_input(Table& table, const Dataset& train, int threads) {
  auto options = read_input_options(table);
  if (options.image_size == 0 || options.channels == 0) {
    const auto looks = look_at(train);
    if (options.image_size == 0) options.image_size = looks.size;
    if (options.channels == 0) options.channels = looks.channels;
  }
  if (options.mean.empty()) {
    const auto stats =
        channel_stats(train, {.channels = static_cast<int>(options.channels), .threads = threads});
    options.mean = stats.mean;
    options.std = stats.std;
  }
  if (static_cast<int64_t>(options.mean.size()) != options.channels) {
    fail("[input] mean has ", options.mean.size(), " values for ", options.channels, " channels");
  }
  Table resolved;
  resolved.values["image_size"] = Value{options.image_size, {}};
  resolved.values["channels"] = Value{options.channels, {}};
  for (const auto* key : {"mean", "std"}) {
    Value::Array values;
    for (const double number : key == std::string("mean") ? options.mean : options.std) {
      values.push_back({number, {}});
    }
    resolved.values[key] = Value{std::move(values), {}};
  }
  table = resolved;
  return options;
}

}  // namespace projnce
