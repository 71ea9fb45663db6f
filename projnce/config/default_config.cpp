#include "projnce/config/default_config.h"

#include <algorithm>

#include "projnce/config/run_config.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table.h"
#include "projnce/core/table_writer.h"

namespace projnce::config {

namespace {

void append_keys(const Table& table, const std::string& prefix, std::vector<std::string>& keys) {
  for (const auto& [key, value] : table.values) keys.push_back(prefix + key);
  for (const auto& [name, section] : table.tables) append_keys(section, prefix + name + ".", keys);
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

std::vector<std::string> setting_keys() {
  // Settings that DefaultConfig excludes because they are names or depend on the machine.
  std::vector<std::string> keys = {"threads", "data_root", "dataset.name", "encoder.name",
                                   "loss.name"};
  Table names;
  names.tables["dataset"].values["name"] = Value{std::string("folder"), {}};
  names.tables["encoder"].values["name"] = Value{std::string("resnet-small"), {}};
  names.tables["loss"].values["name"] = Value{std::string("projnce-mlp"), {}};
  append_keys(DefaultConfig().of(names), "", keys);
  return keys;
}

std::string setting_named(const std::string& name) {
  const auto key_name = with_underscores(name);
  std::string found;
  for (const auto& key : setting_keys()) {
    if (key == key_name || key == key_name + ".name" || key == "train." + key_name) return key;
    // Prefer the shortest key: loss.x over augment.audio.x.
    if (key.ends_with("." + key_name) && (found.empty() || key.size() < found.size())) found = key;
  }
  return found;
}

std::string nearest_setting(const std::string& name) {
  std::vector<std::string> last_parts;
  for (const auto& key : setting_keys()) last_parts.push_back(key.substr(key.rfind('.') + 1));
  const auto nearest = nearest_name(with_underscores(name), last_parts);
  return nearest.empty() ? "" : setting_named(nearest);
}

namespace {

dataset::DatasetOptions seeded_dataset_options(const std::string& name) {
  auto options = dataset::dataset_options(name);
  dataset::seed_noise(options, static_cast<uint64_t>(RunSettings{}.seed));
  return options;
}

/// Default options for `name`, without the name itself; empty if this version does not know it.
template <class Options>
Table defaults_of(Options (*named)(const std::string&), const std::string& name) {
  try {
    auto table = to_table(named(name));
    table.values.erase("name");
    return table;
  } catch (const Error&) {
    return {};
  }
}

std::string name_in(const Table& config, const char* section) {
  return config_text(config, section, "name");
}

Table make_defaults(const Table& config) {
  auto table = to_table(RunConfig{});
  for (const auto* key : {"threads", "version", "data_root"}) table.values.erase(key);
  table.tables.erase("input");
  table.tables["dataset"] = defaults_of(seeded_dataset_options, name_in(config, "dataset"));
  table.tables["encoder"] = defaults_of(encoder::encoder_options, name_in(config, "encoder"));
  table.tables["loss"] = defaults_of(loss::loss_options, name_in(config, "loss"));
  return table;
}

}  // namespace

const Table& DefaultConfig::of(const Table& config) {
  std::string names;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    names += name_in(config, section) + "\n";
  }
  const auto found = cache_.find(names);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(names, make_defaults(config)).first->second;
}

}  // namespace projnce::config
