#include "projnce/reproduce/experiment.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/open_dataset.h"

namespace projnce::reproduce {

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
  scale.audio = reader.sub_table("audio");
  scale.datasets = read_datasets(reader.sub_table("datasets"));
  reader.done();
  return scale;
}

Table Scale::settings_for(const std::string& dataset, SampleKind kind) const {
  Table table = settings;
  if (kind == SampleKind::kImage) overlay(table, image);
  if (kind == SampleKind::kAudio) overlay(table, audio);
  const auto found = datasets.find(dataset);
  if (found != datasets.end()) overlay(table, found->second.settings);
  return table;
}

namespace {

const std::vector<std::pair<std::string, Measure>> kMeasures = {
    {"centroid", Measure::kCentroid},
    {"readout", Measure::kReadout},
    {"probe", Measure::kProbe},
    {"information", Measure::kInformation}};

std::vector<std::string> keys(const std::map<std::string, Table>& tables) {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables) names.push_back(name);
  return names;
}

const Table& find_entry(const Table& table, const char* kind, const std::string& name) {
  const auto found = table.tables.find(name);
  if (found == table.tables.end()) fail_unknown(kind, name, keys(table.tables));
  return found->second;
}

Method read_method(const Table& known, const std::string& name) {
  const auto& table = find_entry(known, "method", name);
  Method method{.name = name, .title = name};
  TableReader reader(table, "methods." + name);
  reader.field("title", method.title).field("series", method.series).field("x", method.x);
  method.settings = reader.sub_table("settings");
  reader.done();
  return method;
}

Condition read_condition(const Table& known, const std::string& name) {
  const auto& table = find_entry(known, "condition", name);
  Condition condition{.name = name, .title = name};
  TableReader reader(table, "conditions." + name);
  reader.field("title", condition.title);
  condition.settings = reader.sub_table("settings");
  reader.done();
  return condition;
}

Measure parse_measure(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, measure] : kMeasures) {
    if (known == name) return measure;
    names.push_back(known);
  }
  fail_unknown("measure", name, names);
}

/// Reads [paper.DATASET.CONDITION], with one value per method.
void read_paper(const Table& table, Experiment& experiment) {
  for (const auto& [dataset, conditions] : table.tables) {
    for (const auto& [condition, numbers] : conditions.tables) {
      for (const auto& [method, value] : numbers.values) {
        const auto number = number_in(value);
        if (!number) fail(value.where, ": expected a number, the published value of ", method);
        experiment.paper[dataset][condition][method] = *number;
      }
    }
  }
}

/// Names of the columns and rows of a table; a scale may override them.
struct Lists {
  std::vector<std::string> datasets, conditions, methods;

  void read(TableReader& reader) {
    reader.field("datasets", datasets).field("conditions", conditions).field("compare", methods);
  }
};

Table shared_table(const std::string& name) {
  return parse_toml(paper_file(name), name + ".toml");
}

Table experiment_table(const std::string& what) {
  if (what.ends_with(".toml")) return read_toml(what);
  const auto names = experiment_names();
  if (std::find(names.begin(), names.end(), what) == names.end()) {
    fail_unknown("table or figure", what, names);
  }
  return shared_table(what);
}

Lists read_lists(TableReader& reader, const std::string& scale) {
  Lists lists;
  lists.read(reader);
  for (const auto& name : scale_names()) {
    const auto& overrides = reader.sub_table(name);
    if (name != scale) continue;
    TableReader scale_reader(overrides, name);
    lists.read(scale_reader);
    scale_reader.done();
  }
  return lists;
}

std::optional<int64_t> read_maps(const Table& table) {
  if (table.values.empty()) return std::nullopt;
  int64_t seed = 1;
  TableReader reader(table, "maps");
  reader.field("seed", seed, at_least(1));
  reader.done();
  return seed;
}

void fill_experiment(Experiment& experiment, const Lists& lists, const Table& own_methods) {
  auto methods = shared_table("methods");
  overlay(methods, own_methods);
  const auto conditions = shared_table("conditions");
  experiment.datasets = lists.datasets;
  for (const auto& name : lists.conditions) {
    experiment.conditions.push_back(read_condition(conditions, name));
  }
  for (const auto& name : lists.methods) experiment.methods.push_back(read_method(methods, name));
}

}  // namespace

std::optional<double> Experiment::paper_number(const std::string& dataset,
                                               const std::string& condition,
                                               const std::string& method) const {
  const auto of_dataset = paper.find(dataset);
  if (of_dataset == paper.end()) return std::nullopt;
  const auto of_condition = of_dataset->second.find(condition);
  if (of_condition == of_dataset->second.end()) return std::nullopt;
  const auto found = of_condition->second.find(method);
  if (found == of_condition->second.end()) return std::nullopt;
  return found->second;
}

Experiment read_experiment(const std::string& what, const std::string& scale) {
  const auto table = experiment_table(what);
  Experiment experiment;
  experiment.name = std::filesystem::path(what).stem();
  experiment.title = experiment.name;
  std::vector<std::string> measures = {"centroid"};
  TableReader reader(table, "");
  reader.field("title", experiment.title)
      .field("question", experiment.question)
      .field("source", experiment.source)
      .field("axis", experiment.axis)
      .field("measures", measures, FormerNames{{"own", "readout"}})
      .field("remarks", experiment.remarks);
  const auto lists = read_lists(reader, scale);
  read_paper(reader.sub_table("paper"), experiment);
  experiment.map_seed = read_maps(reader.sub_table("maps"));
  fill_experiment(experiment, lists, reader.sub_table("methods"));
  reader.done();
  for (const auto& deprecation : reader.deprecations())
    experiment.deprecations.push_back(deprecation.message);
  for (const auto& name : measures) experiment.measures.push_back(parse_measure(name));
  if (lists.datasets.empty() || lists.conditions.empty() || lists.methods.empty()) {
    fail(what, " has no datasets, no conditions or no methods to compare, expected a list of each");
  }
  return experiment;
}

namespace {

namespace fs = std::filesystem;

bool is_known(const std::string& name) {
  const auto names = dataset::dataset_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string title_of(const std::string& name) {
  const auto titles = parse_toml(paper_file("datasets"), "datasets.toml");
  const auto found = titles.values.find(name);
  return found == titles.values.end() ? name : std::get<std::string>(found->second.data);
}

/// Last component of a path without archive extensions, with characters valid in a folder name.
std::string folder_name(const std::string& path) {
  auto name = fs::path(path).filename().string();
  if (name.empty()) name = fs::path(path).parent_path().filename().string();
  name = name.substr(0, name.find('.'));
  for (auto& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
  }
  return name.empty() ? "data" : name;
}

PaperDataset paper_dataset(const std::string& what, const Scale& scale) {
  PaperDataset dataset;
  dataset.name = is_known(what) ? what : folder_name(what);
  const auto named = config::named_dataset(what);
  dataset.table.values["name"] = Value{named.name, what};
  if (!named.root.empty()) dataset.table.values["root"] = Value{named.root, what};
  dataset.title = title_of(dataset.name);
  const auto changed = scale.datasets.find(dataset.name);
  const bool changes_task = changed != scale.datasets.end() && !changed->second.title.empty();
  if (changes_task) {
    dataset.title = changed->second.title;
  } else {
    dataset.column = dataset.name;
  }
  return dataset;
}

std::string provider_of(const std::string& name) {
  for (const auto& description : dataset::describe_datasets()) {
    if (description.name == name) return description.source;
  }
  return {};
}

bool is_present(const std::string& name, const dataset::OpenContext& context) {
  const auto places = dataset::dataset_search_paths(name, context);
  return std::any_of(places.begin(), places.end(), [](const fs::path& place) {
    std::error_code ignored;  // an unreadable folder counts as missing
    return fs::exists(place, ignored);
  });
}

bool is_available(const PaperDataset& dataset, const dataset::OpenContext& context) {
  return dataset.table.values.count("root") || is_present(dataset.name, context);
}

/// Fills in kind, size and remarks; sets `absent` if the dataset is missing or unreadable.
void probe_dataset(PaperDataset& dataset, const dataset::OpenContext& context) {
  if (!is_available(dataset, context)) {
    dataset.absent =
        concat(dataset.title, " is not on this machine: get it from ", provider_of(dataset.name),
               " (`projnce data list` shows the search paths)");
    return;
  }
  try {
    const auto split = dataset::open_unchecked_dataset(
        dataset::parse_dataset_options(dataset.table, context.seed), context);
    dataset.kind = split.train->kind();
    dataset.train_samples = split.train->size();
    for (const auto& remark : split.remarks) {
      dataset.remarks.push_back(concat(dataset.title, ": ", remark));
    }
  } catch (const Error& error) {
    dataset.absent = concat(dataset.title, " cannot be read: ", error.what());
  }
}

/// Sets the dataset that each one replaces, if the experiment has only one.
void set_replaced_dataset(std::vector<PaperDataset>& datasets, const Experiment& experiment) {
  for (auto& dataset : datasets) {
    const auto& own = experiment.datasets;
    if (std::find(own.begin(), own.end(), dataset.name) != own.end() || own.size() != 1) continue;
    dataset.column = own.front();
    dataset.stand_in = true;
    dataset.title = concat(dataset.title, " in place of ", title_of(own.front()));
  }
}

}  // namespace

std::vector<PaperDataset> find_paper_datasets(const Experiment& experiment, const Scale& scale,
                                              const std::vector<std::string>& instead,
                                              const dataset::OpenContext& context) {
  std::vector<PaperDataset> datasets;
  for (const auto& what : instead.empty() ? experiment.datasets : instead) {
    datasets.push_back(paper_dataset(what, scale));
  }
  if (!instead.empty()) set_replaced_dataset(datasets, experiment);
  for (auto& dataset : datasets) probe_dataset(dataset, context);
  return datasets;
}

std::vector<std::string> present_datasets(const dataset::OpenContext& context) {
  auto names = dataset::dataset_names();
  std::erase_if(names, [&](const std::string& name) { return !is_present(name, context); });
  return names;
}

}  // namespace projnce::reproduce
