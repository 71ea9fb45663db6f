#include "projnce/reproduce/scale.h"

#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/reproduce/paper_files.h"

namespace projnce {

namespace {

Table scales_table() {
  return parse_toml(paper_file("scales"), "scales.toml");
}

std::map<std::string, Scale::OfDataset> read_datasets(const Table& table) {
  std::map<std::string, Scale::OfDataset> datasets;
  for (const auto& [name, section] : table.tables) {
    auto& dataset = datasets[name];
    TableReader reader(section, name);
    reader.field("title", dataset.title);
    dataset.settings = reader.sub_table("settings");
    reader.done();
  }
  return datasets;
}

}  // namespace

std::vector<std::string> scale_names() {
  std::vector<std::string> names;
  for (const auto& [name, table] : scales_table().tables) names.push_back(name);
  return names;
}

Scale read_scale(const std::string& name) {
  const auto scales = scales_table();
  const auto found = scales.tables.find(name);
  if (found == scales.tables.end()) fail_unknown("scale", name, scale_names());
  Scale scale{.name = name, .words = {}};
  TableReader reader(found->second, name);
  reader.field("words", scale.words)
      .field("seeds", scale.seeds, at_least(1))
      .field("several_at_once", scale.several_at_once);
  scale.settings = reader.sub_table("settings");
  scale.image = reader.sub_table("image");
  scale.sound = reader.sub_table("sound");
  scale.datasets = read_datasets(reader.sub_table("datasets"));
  reader.done();
  return scale;
}

Table Scale::settings_for(const std::string& dataset, SampleKind kind) const {
  Table table = settings;
  if (kind == SampleKind::kImage) overlay(table, image);
  if (kind == SampleKind::kSound) overlay(table, sound);
  const auto found = datasets.find(dataset);
  if (found != datasets.end()) overlay(table, found->second.settings);
  return table;
}

}  // namespace projnce
