#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace projnce {

/// How many samples of a dataset may be unreadable: a number, a share, or, by default, the larger
/// of 1 % and 5.
struct CorruptLimit {
  std::optional<int64_t> count = {};
  std::optional<double> share = {};  ///< 0 to 1

  /// The most unreadable samples among `samples`.
  int64_t of(int64_t samples) const;
  /// "5", "1%", or "auto" by default: what parse_corrupt_limit reads.
  std::string text() const;
  /// "at most 5", "at most 1 %" or "at most 1 % or 5 files".
  std::string describe() const;
};

/// Reads a number of files such as "5", a share such as "1%", or "auto". Throws a sentence that
/// starts with `name` on anything else.
CorruptLimit parse_corrupt_limit(const std::string& text, const std::string& name);

}  // namespace projnce
