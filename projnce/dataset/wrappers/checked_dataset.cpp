#include "projnce/dataset/wrappers/checked_dataset.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr double kDefaultFraction = 0.01;
constexpr int64_t kDefaultCount = 5;
const char* const kDefaultText = "auto";

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

}  // namespace

int64_t CorruptLimit::of(int64_t samples) const {
  if (count) return *count;
  const auto part = [&](double ratio) {
    return static_cast<int64_t>(std::floor(ratio * static_cast<double>(samples) + 1e-9));
  };
  return fraction ? part(*fraction) : std::max(part(kDefaultFraction), kDefaultCount);
}

std::string CorruptLimit::text() const {
  if (count) return std::to_string(*count);
  return fraction ? concat(100 * *fraction, "%") : kDefaultText;
}

std::string CorruptLimit::describe() const {
  if (count) return concat("at most ", *count);
  if (fraction) return concat("at most ", 100 * *fraction, " %");
  return concat("at most ", 100 * kDefaultFraction, " % or ", kDefaultCount, " files");
}

CorruptLimit parse_corrupt_limit(const std::string& text, const std::string& name) {
  if (text == kDefaultText) return {};
  if (text.ends_with('%')) {
    const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
    if (percent && *percent >= 0 && *percent <= 100) return {.fraction = *percent / 100};
  } else if (const auto count = parse_number<int64_t>(text); count && *count >= 0) {
    return {.count = count};
  }
  fail(Hint{concat("default: 1 % or ", kDefaultCount, " files may be unreadable")}, name, " = '",
       io::printable(text), "', expected a number of files such as 5, or a percentage such as 1%");
}

namespace {

constexpr size_t kMaxWarnings = 10;

/// Caches decoded samples of another dataset, some or all of them.
class InMemoryDataset : public DatasetWrapper {
 public:
  /// `samples` has one element per sample; empty ones are decoded by `base`.
  InMemoryDataset(DatasetPtr base, std::vector<Sample> samples)
      : DatasetWrapper(std::move(base)), samples_(std::move(samples)) {}

  Sample decode(int64_t index) const override {
    const auto& sample = samples_.at(static_cast<size_t>(index));
    return bytes_of(sample) == 0 ? base().decode(index) : sample;
  }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    const auto& sample = samples_.at(static_cast<size_t>(index));
    return bytes_of(sample) == 0 ? base().decode_region(index, required) : sample;
  }

 private:
  std::vector<Sample> samples_;
};

std::vector<int64_t> remaining_indices(int64_t size, const std::vector<CorruptSample>& corrupt) {
  std::vector<int64_t> indices;
  auto next = corrupt.begin();
  for (int64_t i = 0; i < size; ++i) {
    if (next != corrupt.end() && next->index == i) {
      ++next;
    } else {
      indices.push_back(i);
    }
  }
  return indices;
}

void check_classes(const Dataset& dataset, const std::vector<CorruptSample>& corrupt,
                   const CorruptSampleRules& rules) {
  const auto before = class_counts(dataset);
  auto remaining = before;
  for (const auto& sample : corrupt) {
    const auto label = static_cast<size_t>(dataset.label(sample.index));
    if (--remaining[label] == 0) {
      fail(Hint{"replace the corrupt files, or remove the class"}, "class '",
           dataset.class_names()[label], "' of the ", rules.split, " has no readable sample, all ",
           before[label], " are corrupt: ", sample.reason);
    }
  }
}

}  // namespace

CheckedDataset check_dataset(const DatasetPtr& dataset, const CheckOptions& options) {
  std::vector<Sample> samples(static_cast<size_t>(dataset->size()));
  std::atomic<size_t> kept = 0;
  std::atomic<bool> colored = false;
  std::atomic<bool> complete = true;
  const auto keep = [&](int64_t index, Sample&& sample) {
    const auto* image = std::get_if<Image>(&sample);
    if (image != nullptr && image->channels == 3) colored = true;
    const size_t bytes = bytes_of(sample);
    if (kept.fetch_add(bytes) + bytes <= options.memory_budget) {
      samples[static_cast<size_t>(index)] = std::move(sample);
    } else {
      kept -= bytes;
      complete = false;
    }
  };

  CheckedDataset checked;
  checked.corrupt = decode_all(*dataset, options.decoding, keep);
  if (!complete && dataset->kind() == SampleKind::kImage) {
    samples.assign(samples.size(), {});
    kept = 0;
  }
  checked.bytes_in_memory = kept;
  checked.channels = colored ? 3 : 1;
  checked.dataset = std::make_shared<InMemoryDataset>(dataset, std::move(samples));
  if (!checked.corrupt.empty()) {
    checked.dataset = std::make_shared<SubsetDataset>(
        checked.dataset, remaining_indices(dataset->size(), checked.corrupt));
  }
  return checked;
}

void check_corrupt_samples(const Dataset& dataset, const std::vector<CorruptSample>& corrupt,
                           const CorruptSampleRules& rules, const Logger& logger) {
  if (corrupt.empty()) return;
  if (rules.every_class) check_classes(dataset, corrupt, rules);
  const auto count =
      concat(corrupt.size(), " of ", counted(dataset.size(), "sample"), " of the ", rules.split);
  if (rules.strict) {
    fail(Hint{"remove the corrupt files, or disable strict to skip them"}, count,
         " cannot be read, expected none: ", corrupt[0].reason);
  }
  const auto samples = rules.total_samples == 0 ? dataset.size() : rules.total_samples;
  const auto all_corrupt = static_cast<int64_t>(corrupt.size()) + rules.corrupt_before;
  if (all_corrupt > rules.max_corrupt.of(samples)) {
    fail(
        Hint{"'projnce data verify' lists the corrupt files: remove or repair them, or accept more "
             "with --max-corrupt"},
        count, " cannot be read",
        rules.corrupt_before == 0 ? "" : concat(", ", all_corrupt, " of ", samples, " in total"),
        ", expected ", rules.max_corrupt.describe(), ": ", corrupt[0].reason);
  }
  if (static_cast<int64_t>(corrupt.size()) == dataset.size()) {
    fail(Hint{"replace the corrupt files"}, "no sample of the ", rules.split,
         " can be read: ", corrupt[0].reason);
  }
  if (!logger) return;
  for (size_t i = 0; i < std::min(corrupt.size(), kMaxWarnings); ++i) {
    logger->warn("skipped: {}", corrupt[i].reason);
  }
  logger->warn("{} cannot be read; skipped", count);
}

}  // namespace projnce::dataset
