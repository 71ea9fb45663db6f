#include "projnce/dataset/inspect.h"

#include <algorithm>

#include "projnce/dataset/labels.h"

namespace projnce {

namespace {

/// Zeros stand for samples that did not decode.
Spread spread_of(std::vector<int> numbers) {
  std::erase(numbers, 0);
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  return {numbers.front(), numbers[(numbers.size() - 1) / 2], numbers.back()};
}

PartInfo inspect_part(const Dataset& dataset, const DecodeAllOptions& options) {
  const auto size = static_cast<size_t>(dataset.size());
  std::vector<int> heights(size);
  std::vector<int> widths(size);
  std::vector<int> channels(size);
  PartInfo info;
  info.samples = dataset.size();
  info.per_class = class_counts(dataset);
  info.damaged = decode_all(dataset, options, [&](int64_t index, Sample&& sample) {
    const auto& image = std::get<Image>(sample);
    const auto i = static_cast<size_t>(index);
    heights[i] = image.height;
    widths[i] = image.width;
    channels[i] = image.channels;
  });
  info.height = spread_of(std::move(heights));
  info.width = spread_of(std::move(widths));
  std::erase(channels, 0);
  for (const int count : channels) ++info.channels[count];
  return info;
}

}  // namespace

DatasetInfo inspect(const DatasetSplit& dataset, const DecodeAllOptions& options) {
  return {.class_names = dataset.train->class_names(),
          .train = inspect_part(*dataset.train, options),
          .test = inspect_part(*dataset.test, options)};
}

}  // namespace projnce
