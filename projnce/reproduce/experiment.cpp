#include "projnce/reproduce/experiment.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/reproduce/paper_files.h"
#include "projnce/reproduce/scale.h"

namespace projnce {

namespace {

const std::vector<std::pair<std::string, Measure>> kMeasures = {
    {"centroid", Measure::kCentroid},
    {"own", Measure::kOwn},
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

Measure measure_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, measure] : kMeasures) {
    if (known == name) return measure;
    names.push_back(known);
  }
  fail_unknown("measure", name, names);
}

/// [paper.DATASET.CONDITION] with a number for each method.
void read_paper(const Table& table, Experiment& experiment) {
  for (const auto& [dataset, conditions] : table.tables) {
    for (const auto& [condition, numbers] : conditions.tables) {
      for (const auto& [method, value] : numbers.values) {
        const auto number = number_in(value);
        if (!number) fail(value.where, ": expected the paper's number for ", method);
        experiment.paper[dataset][condition][method] = *number;
      }
    }
  }
}

/// What a table compares; a scale may have fewer of each.
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
    const auto& narrower = reader.sub_table(name);
    if (name != scale) continue;
    TableReader of_scale(narrower, name);
    lists.read(of_scale);
    of_scale.done();
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

void fill(Experiment& experiment, const Lists& lists, const Table& own_methods) {
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
      .field("measures", measures)
      .field("remarks", experiment.remarks);
  const auto lists = read_lists(reader, scale);
  read_paper(reader.sub_table("paper"), experiment);
  experiment.map_seed = read_maps(reader.sub_table("maps"));
  fill(experiment, lists, reader.sub_table("methods"));
  reader.done();
  for (const auto& name : measures) experiment.measures.push_back(measure_named(name));
  if (lists.datasets.empty() || lists.conditions.empty() || lists.methods.empty()) {
    fail(what,
         " names no datasets, no conditions or no methods to compare: expected a list of each");
  }
  return experiment;
}

}  // namespace projnce
