#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "projnce/core/error.h"

namespace projnce {

// Readers of untrusted JSON.

/// Deeper JSON is rejected: copying and writing it recurse, and could overflow the stack.
inline constexpr int kMostJsonLevels = 64;

/// Largest count in JSON: larger integers are not exact as doubles, and sums of two cannot
/// overflow.
inline constexpr int64_t kLargestJsonCount = int64_t{1} << 53;

/// JSON with more keys in total is rejected if their order is kept: ordered_json finds a key in
/// linear time, so that parsing an object takes quadratic time.
inline constexpr size_t kMostOrderedKeys = 10'000;

/// Describes what exceeds the limits, such as "more than 64 levels"; null if nothing does before
/// the first syntax error.
const char* excess_in_json(std::string_view text, bool keeps_order);

/// Parses JSON of any origin. Throws if it is invalid or exceeds the limits above; `origin` is used
/// in messages.
nlohmann::json parse_json(std::string_view text, const std::string& origin);
/// parse_json that keeps the order of keys.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& origin);

template <class Json>
inline constexpr bool keeps_json_order = std::is_same_v<Json, nlohmann::ordered_json>;

/// Returns a discarded value, without throwing, if parse_json would throw: a log may have millions
/// of invalid lines.
template <class Json = nlohmann::ordered_json>
Json try_parse_json(std::string_view text) {
  if (excess_in_json(text, keeps_json_order<Json>) != nullptr)
    return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// Whether a value is an integer in 0..kLargestJsonCount.
template <class Json>
bool is_json_count(const Json& value) {
  if (value.is_number_unsigned()) {
    return value.template get<uint64_t>() <= uint64_t{kLargestJsonCount};
  }
  if (!value.is_number_integer()) return false;
  const auto number = value.template get<int64_t>();
  return number >= 0 && number <= kLargestJsonCount;
}

/// Returns an integer in 0..kLargestJsonCount; throws for any other value. get<int64_t>() would
/// wrap large integers, and has undefined behavior for large floating-point numbers.
template <class Json>
int64_t json_count(const Json& value, const std::string& origin) {
  if (!is_json_count(value)) {
    fail(origin, ": found ", value.is_number() ? value.dump() : value.type_name(),
         ", expected an integer from 0 to 2^53");
  }
  return value.template get<int64_t>();
}

}  // namespace projnce
