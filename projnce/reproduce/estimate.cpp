#include "projnce/reproduce/estimate.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/temporary_folder.h"
#include "projnce/report/run_paths.h"

namespace projnce {

namespace {

constexpr int64_t kTrialSteps = 8;

/// What a run on one dataset costs.
struct Cost {
  double seconds_per_sample = 0;      ///< of training
  double seconds_per_evaluation = 0;  ///< after an epoch
  double seconds_besides = 0;         ///< reading the data, judging the end
};

int64_t whole_setting(const Table& config, const std::string& section, const std::string& key,
                      int64_t otherwise) {
  const auto table = config.tables.find(section);
  if (table == config.tables.end()) return otherwise;
  const auto value = table->second.values.find(key);
  if (value == table->second.values.end()) return otherwise;
  return static_cast<int64_t>(number_in(value->second).value_or(static_cast<double>(otherwise)));
}

Cost try_out(const Cell& cell, CellPool pool) {
  const TemporaryFolder folder("estimate");
  auto config = cell.config;
  const auto batch = whole_setting(config, "train", "batch_size", 256);
  config.tables["train"].values["epochs"] = Value{int64_t{1}, {}};
  config.tables["dataset"].values["max_train"] = Value{kTrialSteps * batch, {}};
  const CellJob job{.title = cell.title,
                    .config = folder.path() / "trial.toml",
                    .directory = folder.path() / "trial",
                    .log = folder.path() / "trial.log"};
  write_file_atomically(job.config, to_toml(config));
  JobEnd end;
  pool.jobs = 1;
  pool.on_start = [](const CellJob&) {};
  pool.on_end = [&](const CellJob&, const JobEnd& ended) { end = ended; };
  run_cells({job}, pool);
  if (end.status != 0) fail_working("the trial of ", cell.title, " failed: ", end.complaint);
  std::ifstream file(RunPaths{job.directory}.summary());
  const auto seconds = nlohmann::json::parse(file);
  const auto& parts = seconds.at("seconds");
  const double training = parts.at("train");
  const double evaluation = parts.at("eval");
  const double samples = seconds.at("samples").at("train");
  return {.seconds_per_sample = training / samples,
          .seconds_per_evaluation = evaluation,
          .seconds_besides = std::max(0.0, end.seconds - training - evaluation)};
}

double seconds_of(const Cell& cell, const PaperDataset& dataset, const Cost& cost) {
  const auto epochs = whole_setting(cell.config, "train", "epochs", 500);
  const auto every = whole_setting(cell.config, "eval", "every", 1);
  const auto limit = whole_setting(cell.config, "dataset", "max_train", 0);
  const auto samples = limit > 0 ? std::min(limit, dataset.train_samples) : dataset.train_samples;
  return cost.seconds_per_sample * static_cast<double>(samples * epochs) +
         cost.seconds_per_evaluation * static_cast<double>(epochs / every) + cost.seconds_besides;
}

}  // namespace

double estimate_seconds(const std::vector<Cell>& cells, const std::vector<PaperDataset>& datasets,
                        CellPool pool) {
  std::map<size_t, Cost> costs;
  double seconds = 0;
  for (const auto& cell : cells) {
    if (!costs.count(cell.dataset)) costs[cell.dataset] = try_out(cell, pool);
    seconds += seconds_of(cell, datasets[cell.dataset], costs.at(cell.dataset));
  }
  return seconds / pool.jobs;
}

}  // namespace projnce
