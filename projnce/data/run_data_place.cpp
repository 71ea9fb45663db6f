#include "projnce/data/run_data_place.h"

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::data {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kMaxDataBytes = 1 << 20;

fs::path absolute_path(const fs::path& path) {
  auto absolute = fs::absolute(path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();  // "photos/" is "photos"
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// What data.json holds; null if the run has none, as those of older versions.
ordered_json read_data(const fs::path& file) {
  if (!is_there(file)) return nullptr;
  const auto bytes = io::read_regular_file(file, kMaxDataBytes);
  const auto* text = reinterpret_cast<const char*>(bytes.span().data());
  auto data = ordered_json::parse(text, text + bytes.span().size(), nullptr, false);
  for (const auto* key : {"root", "absolute", "relative"}) {
    if (data.is_object() && data.contains(key) && data.at(key).is_string()) continue;
    fail(Hint{"remove it; dataset.root of config.toml is used then"}, file.string(),
         " is damaged: it has no path '", key, "'");
  }
  return data;
}

}  // namespace

/// A path that is not printable text is written as text that is no path of the data: dataset.root
/// of config.toml is used then.
ordered_json describe_data(const fs::path& run, const dataset::DatasetOptions& options,
                           const dataset::OpenedDataset& data) {
  const auto absolute = absolute_path(data.root);
  return {{"dataset", options.name},
          {"root", io::printable(options.root)},
          {"absolute", io::printable(absolute.native())},
          {"relative", io::printable(absolute.lexically_relative(absolute_path(run)).native())},
          {"split", data.split->rule.empty() ? "fixed" : data.split->rule},
          {"train", data.split->train.ids.size()},
          {"test", data.split->test.ids.size()},
          {"unused", data.split->unused.size()},
          {"test_set", dataset::test_set_fingerprint(*data.split)}};
}

fs::path locate_data(const io::RunPaths& run, const dataset::DatasetOptions& options) {
  const auto data = read_data(run.data());
  const auto& root = options.root;
  // The settings may have been pointed at other data since.
  if (data.is_null() || data.at("root").get<std::string>() != root) return {};
  std::vector<fs::path> places;
  // Relative first: a copy of run and data belongs together.
  if (const auto relative = data.at("relative").get<std::string>(); !relative.empty()) {
    places.push_back(run.root / relative);
  }
  places.emplace_back(data.at("absolute").get<std::string>());
  if (!root.empty()) places.emplace_back(root);
  std::vector<std::string> tried;
  for (const auto& place : places) {
    if (is_there(place)) return place;
    tried.push_back(io::printable(place.native()));
  }
  if (root.empty()) return {};  // it is known by name: its usual places are tried
  fail(Hint{"give the place of the data with --data"}, "the data of ", run.root.string(),
       " was moved or removed, looked for in ", join(tried));
}

dataset::OpenContext run_data_context(const io::RunPaths& run, config::RunConfig& config,
                                      const fs::path& data, dataset::OpenContext context) {
  if (is_there(run.split())) {
    context.stored_split =
        std::make_shared<const dataset::StoredSplit>(dataset::read_split(run.split()));
  }
  if (data.empty()) {
    context.root = locate_data(run, config.dataset);
    return context;
  }
  context.new_samples = dataset::NewSamples::kKeep;
  auto other = config::named_dataset(data.string());
  if (config.dataset.name != other.name) {
    config.dataset = std::move(other);
    config.train.validation = 0;  // a part of the run's own data
  } else if (!other.root.empty()) {
    context.root = data;
  } else {
    config.dataset.root.clear();  // a dataset's name: its usual places
  }
  return context;
}

}  // namespace projnce::data
