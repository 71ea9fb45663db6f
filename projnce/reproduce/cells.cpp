#include "projnce/reproduce/cells.h"

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/run_conditions.h"
#include "projnce/report/run_paths.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

Table cell_config(const PaperDataset& dataset, const Scale& scale, const Condition& condition,
                  const Method& method, int64_t seed) {
  auto config = scale.settings_for(dataset.name, dataset.kind);
  overlay(config.tables["dataset"], dataset.table);
  overlay(config, condition.settings);
  overlay(config, method.settings);
  set_paper_rule(config.tables["eval"]);
  config.values["seed"] = Value{seed, {}};
  return config;
}

}  // namespace

fs::path Cell::config_file() const {
  return directory.string() + ".toml";
}

std::vector<Cell> plan_cells(const Experiment& experiment, const Scale& scale,
                             const std::vector<PaperDataset>& datasets, const fs::path& root,
                             int64_t seeds) {
  std::vector<Cell> cells;
  const auto add = [&](size_t d, size_t c, size_t m, int64_t seed) {
    const auto& dataset = datasets[d];
    const auto& condition = experiment.conditions[c];
    const auto& method = experiment.methods[m];
    const auto column = concat(dataset.title, ", ", condition.title);
    cells.push_back(
        {.dataset = d,
         .condition = c,
         .method = m,
         .seed = seed,
         .column = column,
         .title = concat(column, ", ", method.title, ", seed ", seed),
         .config = cell_config(dataset, scale, condition, method, seed),
         .directory = root / dataset.name / condition.name / method.name / concat("seed-", seed)});
  };
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    for (size_t d = 0; d < datasets.size(); ++d) {
      if (!datasets[d].absent.empty()) continue;
      for (size_t c = 0; c < experiment.conditions.size(); ++c) {
        for (size_t m = 0; m < experiment.methods.size(); ++m) add(d, c, m, seed);
      }
    }
  }
  return cells;
}

bool is_finished(const Cell& cell) {
  const RunPaths paths{cell.directory};
  if (!fs::exists(paths.summary())) return false;
  auto before = read_toml(paths.config());
  complete_earlier_rule(before);
  auto now = before;
  overlay(now, cell.config);
  const auto changes = setting_changes(before, now);
  if (!changes.empty()) {
    fail(Hint{"remove it, or give another --out"}, cell.directory.string(),
         " was trained with other settings: ", changes);
  }
  return true;
}

}  // namespace projnce
