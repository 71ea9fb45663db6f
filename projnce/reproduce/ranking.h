#pragma once

#include <optional>
#include <vector>

namespace projnce {

/// Kendall's tau-b of two lists of equal length: 1 where they order alike, -1 where they order
/// oppositely, ties allowed for. None where either list has no two different values.
std::optional<double> kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace projnce
