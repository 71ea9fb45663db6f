#include "projnce/pipeline/setting_keys.h"

#include <algorithm>

#include "projnce/core/names.h"
#include "projnce/core/table.h"
#include "projnce/pipeline/standard_settings.h"

namespace projnce {

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
  // What standard_settings leaves out because it is a name or depends on the machine.
  std::vector<std::string> keys = {"threads", "data_root", "dataset.name", "encoder.name",
                                   "loss.name"};
  Table names;
  names.tables["dataset"].values["name"] = Value{std::string("folder"), {}};
  names.tables["encoder"].values["name"] = Value{std::string("resnet-small"), {}};
  names.tables["loss"].values["name"] = Value{std::string("projnce-mlp"), {}};
  append_keys(StandardSettings().of(names), "", keys);
  return keys;
}

std::string setting_named(const std::string& name) {
  const auto wanted = with_underscores(name);
  std::string found;
  for (const auto& key : setting_keys()) {
    if (key == wanted || key == wanted + ".name" || key == "train." + wanted) return key;
    // The shortest of several: loss.x rather than augment.sound.x.
    if (key.ends_with("." + wanted) && (found.empty() || key.size() < found.size())) found = key;
  }
  return found;
}

std::string nearest_setting(const std::string& name) {
  std::vector<std::string> last_parts;
  for (const auto& key : setting_keys()) last_parts.push_back(key.substr(key.rfind('.') + 1));
  const auto nearest = nearest_name(with_underscores(name), last_parts);
  return nearest.empty() ? "" : setting_named(nearest);
}

}  // namespace projnce
