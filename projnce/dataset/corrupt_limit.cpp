#include "projnce/dataset/corrupt_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

constexpr double kDefaultShare = 0.01;
constexpr int64_t kDefaultCount = 5;
const char* const kDefaultText = "auto";

template <class Number>
std::optional<Number> parse_all(const std::string& text) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

}  // namespace

int64_t CorruptLimit::of(int64_t samples) const {
  if (count) return *count;
  const auto part = [&](double fraction) {
    return static_cast<int64_t>(std::floor(fraction * static_cast<double>(samples) + 1e-9));
  };
  return share ? part(*share) : std::max(part(kDefaultShare), kDefaultCount);
}

std::string CorruptLimit::text() const {
  if (count) return std::to_string(*count);
  return share ? concat(100 * *share, "%") : kDefaultText;
}

std::string CorruptLimit::describe() const {
  if (count) return concat("at most ", *count);
  if (share) return concat("at most ", 100 * *share, " %");
  return concat("at most ", 100 * kDefaultShare, " % or ", kDefaultCount, " files");
}

CorruptLimit parse_corrupt_limit(const std::string& text, const std::string& name) {
  if (text == kDefaultText) return {};
  if (text.ends_with('%')) {
    const auto percent = parse_all<double>(text.substr(0, text.size() - 1));
    if (percent && *percent >= 0 && *percent <= 100) return {.share = *percent / 100};
  } else if (const auto count = parse_all<int64_t>(text); count && *count >= 0) {
    return {.count = count};
  }
  fail(Hint{concat("without it, 1 % or ", kDefaultCount, " files may be unreadable")}, name, " = '",
       printable(text), "', expected a number of files such as 5, or a share such as 1%");
}

}  // namespace projnce
