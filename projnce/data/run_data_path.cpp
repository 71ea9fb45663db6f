#include "projnce/data/run_data_path.h"

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
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
  return absolute.has_filename() ? absolute : absolute.parent_path();  // "photos/" -> "photos"
}

bool path_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Contents of data.json; null for runs of older versions, which have none.
ordered_json read_data(const fs::path& file) {
  if (!path_exists(file)) return nullptr;
  auto data = try_parse_json(io::read_text_file(file, kMaxDataBytes));
  for (const auto* key : {"root", "absolute", "relative"}) {
    if (data.is_object() && data.contains(key) && data.at(key).is_string()) continue;
    fail(Hint{"remove the file to use dataset.root of config.toml instead"}, file.string(),
         " is corrupt: it has no path '", key, "'");
  }
  return data;
}

}  // namespace

DataRecord describe_data(const fs::path& run, const dataset::DatasetOptions& options,
                         const dataset::OpenedDataset& data) {
  const auto absolute = absolute_path(data.root);
  const auto& split = *data.split;
  return {.dataset = options.name,
          .root = options.root,
          .absolute = absolute,
          .relative = absolute.lexically_relative(absolute_path(run)),
          .split = split.rule.empty() ? "fixed" : split.rule,
          .train = static_cast<int64_t>(split.train.ids.size()),
          .test = static_cast<int64_t>(split.test.ids.size()),
          .unused = static_cast<int64_t>(split.unused.size()),
          .test_set = dataset::test_set_fingerprint(split)};
}

ordered_json data_json(const DataRecord& record) {
  ordered_json json = {{"dataset", record.dataset},
                       {"root", io::printable(record.root)},
                       {"absolute", io::printable(record.absolute.native())},
                       {"relative", io::printable(record.relative.native())},
                       {"split", record.split},
                       {"train", record.train},
                       {"test", record.test},
                       {"unused", record.unused},
                       {"test_set", record.test_set}};
  if (const auto& init = record.init) {
    json["init"] = {{"run", io::printable(init->run)}, {"test_samples_seen", nullptr}};
    if (init->test_samples_seen) json["init"]["test_samples_seen"] = *init->test_samples_seen;
  }
  return json;
}

fs::path locate_data(const io::RunPaths& run, const dataset::DatasetOptions& options) {
  const auto data = read_data(run.data());
  const auto& root = options.root;
  // The settings may refer to other data by now.
  if (data.is_null() || data.at("root").get<std::string>() != root) return {};
  std::vector<fs::path> places;
  // Relative first, so that a copy of run and data stays together.
  if (const auto relative = data.at("relative").get<std::string>(); !relative.empty()) {
    places.push_back(run.root / relative);
  }
  places.emplace_back(data.at("absolute").get<std::string>());
  if (!root.empty()) places.emplace_back(root);
  std::vector<std::string> tried;
  for (const auto& place : places) {
    if (path_exists(place)) return place;
    tried.push_back(io::printable(place.native()));
  }
  if (root.empty()) return {};  // dataset known by name: use the default search paths
  fail(Hint{"pass its current path with --data"}, "the data of ", run.root.string(),
       " was moved or removed; searched ", join(tried));
}

dataset::OpenContext run_data_context(const io::RunPaths& run, config::RunConfig& config,
                                      const fs::path& data, dataset::OpenContext context) {
  if (path_exists(run.split())) {
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
    config.train.validation = 0;  // only defined for the data of the run
  } else if (!other.root.empty()) {
    context.root = data;
  } else {
    config.dataset.root.clear();  // dataset name: use the default search paths
  }
  return context;
}

}  // namespace projnce::data
