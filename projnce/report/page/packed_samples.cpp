// Samples of a report in the format of the page: numbers in base64.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/digest.h"
#include "projnce/report/page/report_samples.h"

namespace projnce::report {

namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "reports hold little-endian numbers");

template <class T>
std::string packed(const std::vector<T>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return io::base64({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

/// Converts the chosen entries of a list to type T.
template <class T, class From>
std::vector<T> chosen_of(const std::vector<From>& list, const std::vector<size_t>& chosen) {
  std::vector<T> numbers;
  numbers.reserve(chosen.size());
  for (const size_t i : chosen) numbers.push_back(static_cast<T>(list[i]));
  return numbers;
}

template <class T, class From>
ordered_json packed_list(const std::vector<From>& list, const std::vector<size_t>& chosen) {
  if (list.empty() && !chosen.empty()) return nullptr;
  return packed(chosen_of<T>(list, chosen));
}

/// Encodes values in 0..1 as bytes.
ordered_json packed_shares(const std::vector<float>& shares, const std::vector<size_t>& chosen) {
  if (shares.empty() && !chosen.empty()) return nullptr;
  std::vector<uint8_t> steps;
  for (const size_t i : chosen) {
    const float share = std::isfinite(shares[i]) ? std::clamp(shares[i], 0.0F, 1.0F) : 0.0F;
    steps.push_back(static_cast<uint8_t>(std::lround(255 * share)));
  }
  return packed(steps);
}

/// Bounding box of all positions, extended to a square.
struct MapSquare {
  double left = 0;
  double bottom = 0;
  double side = 1;
};

MapSquare square_around(const std::vector<float>& positions) {
  float low[2] = {INFINITY, INFINITY};
  float high[2] = {-INFINITY, -INFINITY};
  for (size_t k = 0; k < positions.size(); ++k) {
    if (!std::isfinite(positions[k])) continue;
    low[k % 2] = std::min(low[k % 2], positions[k]);
    high[k % 2] = std::max(high[k % 2], positions[k]);
  }
  const double width = double(high[0]) - low[0];
  const double height = double(high[1]) - low[1];
  const double side = std::max(width, height);
  if (!(side > 0)) return {.left = low[0] - 0.5, .bottom = low[1] - 0.5};
  return {low[0] - (side - width) / 2, low[1] - (side - height) / 2, side};
}

std::string packed_axis(const std::vector<float>& positions, size_t axis, const MapSquare& square,
                        const std::vector<size_t>& chosen) {
  const double start = axis == 0 ? square.left : square.bottom;
  std::vector<uint16_t> steps;
  for (const size_t i : chosen) {
    const double place = (positions[2 * i + axis] - start) / square.side;
    const double bounded = std::isfinite(place) ? std::clamp(place, 0.0, 1.0) : 0.5;
    steps.push_back(static_cast<uint16_t>(std::lround(65535 * bounded)));
  }
  return packed(steps);
}

std::vector<size_t> evenly_spaced(size_t count, size_t most) {
  const size_t wanted = std::min(count, most);
  std::vector<size_t> chosen;
  for (size_t k = 0; k < wanted; ++k) chosen.push_back(k * count / wanted);
  return chosen;
}

ordered_json joined_names(const std::vector<std::string>& names,
                          const std::vector<size_t>& chosen) {
  if (names.empty()) return nullptr;
  std::string joined;
  for (const size_t i : chosen)
    (joined += joined.empty() && i == chosen[0] ? "" : "\n") += names[i];
  return joined;
}

}  // namespace

ordered_json pack_images(const ThumbnailSheets& images) {
  if (images.sheets.empty()) return nullptr;
  ordered_json sheets = ordered_json::array();
  for (const auto& sheet : images.sheets) sheets.push_back(io::base64(sheet));
  return {{"side", images.side},
          {"columns", images.columns},
          {"perSheet", images.per_sheet},
          {"sheets", sheets}};
}

ordered_json pack_excerpts(const std::vector<dataset::AudioExcerpt>& clips) {
  if (clips.empty()) return nullptr;
  auto json = ordered_json::array();
  for (const auto& clip : clips) {
    if (clip.wav.empty()) {
      json.push_back(nullptr);
    } else {
      json.push_back({{"wav", io::base64(clip.wav)},
                      {"seconds", clip.seconds},
                      {"whole", clip.whole_seconds}});
    }
  }
  return json;
}

ordered_json pack_samples(const MappedSamples& samples, size_t most, bool images) {
  const auto chosen = evenly_spaced(samples.size(), most);
  const bool all = chosen.size() == samples.size();
  const auto square = square_around(samples.positions);
  return {{"count", chosen.size()},
          {"total", samples.total},
          {"how", samples.how},
          {"x", packed_axis(samples.positions, 0, square, chosen)},
          {"y", packed_axis(samples.positions, 1, square, chosen)},
          {"index", packed_list<uint32_t>(samples.indices, chosen)},
          {"label", packed_list<uint16_t>(samples.labels, chosen)},
          {"predicted", packed_list<uint16_t>(samples.predicted, chosen)},
          {"similarity", packed_shares(samples.similarity, chosen)},
          {"truth", packed_list<uint16_t>(samples.truth, chosen)},
          {"audit_score", packed_shares(samples.audit_score, chosen)},
          {"suggested", packed_list<uint16_t>(samples.suggested, chosen)},
          {"names", joined_names(samples.names, chosen)},
          {"images", all && images ? pack_images(samples.images) : ordered_json()}};
}

ordered_json pack_confusion(const ReportSamples& samples) {
  if (samples.class_names.size() > kMostConfusedClasses) return nullptr;
  const std::vector<uint32_t> counts(samples.confusion.begin(), samples.confusion.end());
  return {{"protocol", samples.protocol}, {"counts", packed(counts)}};
}

}  // namespace projnce::report
