#include "projnce/pipeline/standard_settings.h"

#include "projnce/core/error.h"
#include "projnce/core/table_writer.h"
#include "projnce/pipeline/run_config.h"
#include "projnce/report/config_text.h"

namespace projnce {

namespace {

DatasetOptions seeded_dataset_options(const std::string& name) {
  auto options = dataset_options(name);
  seed_noise(options, static_cast<uint64_t>(RunSettings{}.seed));
  return options;
}

/// The defaults that belong to a name, without it. A name of another version has none.
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

Table standard_for(const Table& config) {
  auto table = to_table(RunConfig{});
  for (const auto* key : {"threads", "version", "data_root"}) table.values.erase(key);
  table.tables.erase("input");
  table.tables["dataset"] = defaults_of(seeded_dataset_options, name_in(config, "dataset"));
  table.tables["encoder"] = defaults_of(encoder_options, name_in(config, "encoder"));
  table.tables["loss"] = defaults_of(loss_options, name_in(config, "loss"));
  return table;
}

}  // namespace

const Table& StandardSettings::of(const Table& config) {
  std::string names;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    names += name_in(config, section) + "\n";
  }
  const auto found = known_.find(names);
  if (found != known_.end()) return found->second;
  return known_.emplace(names, standard_for(config)).first->second;
}

}  // namespace projnce
