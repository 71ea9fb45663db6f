#include "projnce/dataset/inspect/inspect.h"

#include <algorithm>

#include "projnce/dataset/labels.h"

namespace projnce::dataset {

namespace {

/// Measurements of a decoded sample; 0 if they do not apply.
struct SampleMetrics {
  int height = 0;
  int width = 0;
  int channels = 0;
  int rate = 0;
  double seconds = 0;
  int dimension = 0;
};

SampleMetrics measure_sample(const Image& image) {
  return {.height = image.height, .width = image.width, .channels = image.channels};
}

SampleMetrics measure_sample(const Clip& clip) {
  return {.rate = clip.rate, .seconds = static_cast<double>(clip.samples.size()) / clip.rate};
}

SampleMetrics measure_sample(const Features& vector) {
  return {.dimension = static_cast<int>(vector.values.size())};
}

/// Nonzero values in ascending order.
template <class T>
std::vector<T> sorted_numbers(const std::vector<SampleMetrics>& all, T SampleMetrics::*member) {
  std::vector<T> numbers;
  for (const auto& measured : all) {
    if (measured.*member != 0) numbers.push_back(measured.*member);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

template <class T>
Spread<T> compute_spread(const std::vector<SampleMetrics>& all, T SampleMetrics::*member) {
  const auto numbers = sorted_numbers(all, member);
  if (numbers.empty()) return {};
  return {numbers.front(), numbers[(numbers.size() - 1) / 2], numbers.back()};
}

std::map<int, int64_t> count_values(const std::vector<SampleMetrics>& all,
                                    int SampleMetrics::*member) {
  std::map<int, int64_t> counts;
  for (const int number : sorted_numbers(all, member)) ++counts[number];
  return counts;
}

SplitInfo inspect_split(const Dataset& dataset, const DecodeAllOptions& options) {
  std::vector<SampleMetrics> all(static_cast<size_t>(dataset.size()));
  SplitInfo info;
  info.samples = dataset.size();
  info.class_names = dataset.class_names();
  info.per_class = class_counts(dataset);
  info.corrupt = decode_all(dataset, options, [&](int64_t index, Sample&& sample) {
    all[static_cast<size_t>(index)] =
        std::visit([](const auto& s) { return measure_sample(s); }, sample);
  });
  info.height = compute_spread(all, &SampleMetrics::height);
  info.width = compute_spread(all, &SampleMetrics::width);
  info.channels = count_values(all, &SampleMetrics::channels);
  info.rates = count_values(all, &SampleMetrics::rate);
  info.seconds = compute_spread(all, &SampleMetrics::seconds);
  for (const auto& measured : all) info.total_seconds += measured.seconds;
  info.dimension = compute_spread(all, &SampleMetrics::dimension).max;
  return info;
}

}  // namespace

std::vector<std::pair<const char*, const SplitInfo*>> DatasetInfo::splits() const {
  std::vector<std::pair<const char*, const SplitInfo*>> splits = {{"train", &train},
                                                                  {"test", &test}};
  if (reference) splits.emplace_back("reference", &*reference);
  if (background) splits.emplace_back("background", &*background);
  return splits;
}

int64_t DatasetInfo::samples() const {
  int64_t count = 0;
  for (const auto& [name, split] : splits()) count += split->samples;
  return count;
}

int64_t DatasetInfo::corrupt() const {
  int64_t count = 0;
  for (const auto& [name, split] : splits()) count += static_cast<int64_t>(split->corrupt.size());
  return count;
}

DatasetInfo inspect(const DatasetSplit& dataset, const DecodeAllOptions& options) {
  int64_t total = 0;
  for (const auto& split : {dataset.train, dataset.test, dataset.reference, dataset.background}) {
    if (split) total += split->size();
  }
  int64_t before = 0;  // samples of finished splits
  const auto inspect_next = [&](const Dataset& split) {
    auto split_options = options;
    if (options.on_progress) {
      split_options.on_progress = [&](int64_t done, int64_t) {
        options.on_progress(before + done, total);
      };
    }
    auto info = inspect_split(split, split_options);
    before += split.size();
    return info;
  };
  DatasetInfo info;
  info.kind = dataset.train->kind();
  info.class_names = dataset.test->class_names();
  info.train = inspect_next(*dataset.train);
  info.test = inspect_next(*dataset.test);
  if (dataset.reference) info.reference = inspect_next(*dataset.reference);
  if (dataset.background) info.background = inspect_next(*dataset.background);
  info.remarks = dataset.remarks;
  info.warnings = dataset.warnings;
  info.unread_files = dataset.unread_files;
  info.layout = dataset.layout;
  return info;
}

}  // namespace projnce::dataset
