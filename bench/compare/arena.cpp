#include "bench/compare/arena.h"

#include <fmt/format.h>

#include "projnce/inference/array_files.h"

namespace projnce::bench {

namespace {

constexpr int64_t kLarge = 16384;
constexpr int64_t kTooLarge = 32768;

}  // namespace

std::vector<int64_t> Arena::sizes(const std::vector<int64_t>& usual) const {
  return options_.rows.empty() ? usual : options_.rows;
}

std::string Arena::too_large(int64_t rows) const {
  if (rows >= kTooLarge) return "not run: too much memory";
  if (rows >= kLarge && !options_.large_peers) return "not run without --large-peers";
  return {};
}

Contestant Arena::peer(const std::string& name, const std::string& computes,
                       const LabeledRows& data, const nlohmann::json& parameters) {
  auto why_not = peers_.why_unavailable(name);
  if (!why_not.empty()) {
    return {.name = name, .computes = computes, .unavailable = "not available: " + why_not};
  }
  const auto stem = fmt::format("{}-{}-{}", computes, data.x.size(0), name);
  auto request = parameters;
  for (const auto& [key, tensor] : {std::pair{"x", data.x}, std::pair{"labels", data.labels}}) {
    const auto path = scratch_ / fmt::format("{}-{}.npy", stem, key);
    inference::write_array(path, tensor.detach());
    request[key] = path.string();
  }
  return {.name = name, .computes = computes, .run = [this, name, request] {
            return peers_.run(name, request);
          }};
}

}  // namespace projnce::bench
