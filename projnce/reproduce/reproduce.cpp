#include "projnce/reproduce/reproduce.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/logging.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/inference/embedding_map.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/filesystem/temporary_folder.h"
#include "projnce/reproduce/cells.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/result.h"
#include "projnce/reproduce/result_formats.h"

namespace projnce::reproduce {

namespace {

namespace fs = std::filesystem;

/// Draws a t-SNE map of the test samples for each finished run with the map seed of the experiment.
/// File names start with `prefix`.
std::vector<ResultImage> figure_maps(const Experiment& experiment, const std::vector<Cell>& cells,
                                     const std::string& prefix, const Logger& logger) {
  std::vector<ResultImage> images;
  if (!experiment.map_seed) return images;
  const io::TemporaryFolder folder("maps");
  for (const auto& cell : cells) {
    const io::RunPaths paths{cell.directory};
    if (cell.seed != *experiment.map_seed || !std::filesystem::exists(paths.summary())) continue;
    const auto& method = experiment.methods[cell.method];
    const auto file = concat(prefix, "-", method.name, "-map.svg");
    inference::map_embeddings(
        {.input = cell.directory, .labels = {}, .outputs = {folder.path() / file}}, logger);
    const auto svg = io::read_regular_file(folder.path() / file);
    images.push_back(
        {.file = file, .title = method.title, .svg = std::string(io::as_text(svg.span()))});
  }
  return images;
}

constexpr int64_t kTrialSteps = 8;

/// Time of a run on one dataset.
struct Cost {
  double seconds_per_sample = 0;      ///< training time
  double seconds_per_evaluation = 0;  ///< time of one evaluation
  double overhead_seconds = 0;        ///< data loading and final evaluation
};

int64_t int_setting(const Table& config, const std::string& section, const std::string& key,
                    int64_t default_value) {
  const auto table = config.tables.find(section);
  if (table == config.tables.end()) return default_value;
  const auto value = table->second.values.find(key);
  if (value == table->second.values.end()) return default_value;
  return static_cast<int64_t>(
      number_in(value->second).value_or(static_cast<double>(default_value)));
}

Cost run_trial(const Cell& cell, CellPool pool) {
  const io::TemporaryFolder folder("estimate");
  auto config = cell.config;
  const auto batch = int_setting(config, "train", "batch_size", 256);
  config.tables["train"].values["epochs"] = Value{int64_t{1}, {}};
  config.tables["dataset"].values["max_train"] = Value{kTrialSteps * batch, {}};
  const CellJob job{.title = cell.title,
                    .config = folder.path() / "trial.toml",
                    .directory = folder.path() / "trial",
                    .log = folder.path() / "trial.log"};
  io::write_file_atomically(job.config, to_toml(config));
  JobEnd end;
  pool.jobs = 1;
  pool.on_start = [](const CellJob&) {};
  pool.on_end = [&](const CellJob&, const JobEnd& ended) { end = ended; };
  run_cells({job}, pool);
  if (end.status != 0)
    fail_runtime("the trial run of ", cell.title, " failed: ", end.error_message);
  const auto summary = io::RunPaths{job.directory}.summary();
  const auto seconds =
      parse_json(io::read_text_file(summary, io::kMostSummaryBytes), summary.string());
  const auto& parts = seconds.at("seconds");
  const double training = parts.at("train");
  const double evaluation = parts.at("eval");
  const double samples = seconds.at("samples").at("train");
  return {.seconds_per_sample = training / samples,
          .seconds_per_evaluation = evaluation,
          .overhead_seconds = std::max(0.0, end.seconds - training - evaluation)};
}

double estimate_cell_seconds(const Cell& cell, const PaperDataset& dataset, const Cost& cost) {
  const auto epochs = int_setting(cell.config, "train", "epochs", 500);
  const auto every = int_setting(cell.config, "eval", "every", 1);
  const auto limit = int_setting(cell.config, "dataset", "max_train", 0);
  const auto samples = limit > 0 ? std::min(limit, dataset.train_samples) : dataset.train_samples;
  return cost.seconds_per_sample * static_cast<double>(samples * epochs) +
         cost.seconds_per_evaluation * static_cast<double>(epochs / every) + cost.overhead_seconds;
}

/// Estimates the time to train these cells, `pool.jobs` concurrently, from a trial run of a few
/// steps per dataset with evaluation, in a temporary folder.
double estimate_seconds(const std::vector<Cell>& cells, const std::vector<PaperDataset>& datasets,
                        CellPool pool) {
  std::map<size_t, Cost> costs;
  double seconds = 0;
  for (const auto& cell : cells) {
    if (!costs.count(cell.dataset)) costs[cell.dataset] = run_trial(cell, pool);
    seconds += estimate_cell_seconds(cell, datasets[cell.dataset], costs.at(cell.dataset));
  }
  return seconds / pool.jobs;
}

void select_methods(std::vector<Method>& methods, const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::vector<std::string> names;
  for (const auto& method : methods) names.push_back(method.name);
  for (const auto& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail_unknown("method of this table", name, names);
    }
  }
  std::erase_if(methods, [&](const Method& method) {
    return std::find(only.begin(), only.end(), method.name) == only.end();
  });
}

/// Plan of a reproduction.
struct Plan {
  Scale scale;
  Experiment experiment;
  std::vector<PaperDataset> datasets;
  std::vector<Cell> cells;
  std::vector<UnavailableCells> unavailable;  ///< not in `cells`
  std::vector<Cell> unfinished;
  CellErrors errors;
  CellPool pool;
  fs::path root;     ///< of the scale
  std::string name;  ///< of the result files
};

std::string result_name(const Experiment& experiment, const ReproduceRequest& request,
                        const std::vector<PaperDataset>& datasets) {
  auto name = experiment.name;
  if (request.datasets.empty()) return name;
  for (const auto& dataset : datasets) name += "-" + dataset.name;
  return name;
}

/// Suggests available datasets to use instead of `requested`.
std::string replacement_hint(const std::vector<PaperDataset>& requested,
                             const dataset::OpenContext& context) {
  auto names = present_datasets(context);
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(requested.begin(), requested.end(),
                       [&](const PaperDataset& dataset) { return dataset.name == name; });
  });
  const auto folder = "--dataset FOLDER, with one subfolder per class";
  if (names.empty()) return concat("use your own data instead: ", folder);
  return concat("use an available dataset instead: --dataset ", join(names, ", --dataset "),
                ", or ", folder);
}

void fail_without_data(const std::vector<PaperDataset>& datasets,
                       const dataset::OpenContext& context) {
  std::vector<std::string> reasons;
  for (const auto& dataset : datasets) {
    if (dataset.absent.empty()) return;
    reasons.push_back(dataset.absent);
  }
  fail(Hint{replacement_hint(datasets, context)}, join(reasons, "; "));
}

void fail_without_cells(const std::vector<Cell>& cells,
                        const std::vector<UnavailableCells>& unavailable) {
  if (!cells.empty() || unavailable.empty()) return;
  std::vector<std::string> reasons;
  for (const auto& group : unavailable) reasons.push_back(concat(group.column, ": ", group.reason));
  fail("no cell of this table can be trained; ", join(reasons, "; "));
}

CellPool make_pool(const ReproduceRequest& request, const Scale& scale, size_t cells) {
  const int cores = available_cores();
  const int requested = request.jobs > 0 ? request.jobs : (scale.several_at_once ? cores : 1);
  const int jobs = std::clamp<int>(requested, 1, static_cast<int>(std::max<size_t>(cells, 1)));
  return {.program = request.program, .jobs = jobs, .threads = std::max(1, cores / jobs)};
}

void find_unfinished(Plan& plan) {
  for (const auto& cell : plan.cells) {
    try {
      if (!is_finished(cell)) plan.unfinished.push_back(cell);
    } catch (const Error& error) {
      plan.errors[cell.directory] = error.what();
    }
  }
}

Plan make_plan(const ReproduceRequest& request, const ReproduceEnvironment& environment) {
  Plan plan;
  plan.scale = read_scale(request.scale);
  plan.experiment = read_experiment(request.what, request.scale);
  select_methods(plan.experiment.methods, request.only);
  plan.datasets =
      find_paper_datasets(plan.experiment, plan.scale, request.datasets, environment.data);
  fail_without_data(plan.datasets, environment.data);
  plan.root = request.out / plan.scale.name;
  plan.name = result_name(plan.experiment, request, plan.datasets);
  plan.cells = plan_cells(plan.experiment, plan.scale, plan.datasets, plan.root,
                          request.seeds > 0 ? request.seeds : plan.scale.seeds);
  plan.unavailable = remove_unavailable_cells(plan.cells, environment.data);
  fail_without_cells(plan.cells, plan.unavailable);
  find_unfinished(plan);
  plan.pool = make_pool(request, plan.scale, plan.unfinished.size());
  plan.pool.stop_requested = environment.stop_requested;
  return plan;
}

void log_plan(const Plan& plan, const Logger& logger) {
  logger->info("{}: {}; scale {}", plan.name, plan.experiment.title, plan.scale.name);
  for (const auto& dataset : plan.datasets) {
    if (!dataset.absent.empty())
      logger->warn("{}; continuing with the other cells", dataset.absent);
  }
  for (const auto& group : plan.unavailable) {
    logger->warn("{}: skipping {} that cannot be trained: {}", group.column,
                 counted(group.cells.size(), "cell"), group.reason);
  }
  for (const auto& [directory, error_message] : plan.errors) logger->warn("{}", error_message);
  logger->info("{}, {} finished", counted(plan.cells.size(), "cell"),
               plan.cells.size() - plan.unfinished.size() - plan.errors.size());
  if (plan.unfinished.empty()) return;
  logger->info("{} to train, {} in parallel with {} each", plan.unfinished.size(), plan.pool.jobs,
               counted(plan.pool.threads, "thread"));
}

CellJob make_job(const Cell& cell) {
  fs::create_directories(cell.directory.parent_path());
  io::write_file_atomically(cell.config_file(), to_toml(cell.config));
  return {.title = cell.title,
          .config = cell.config_file(),
          .directory = cell.directory,
          .log = cell.directory.string() + ".log"};
}

/// Trains the unfinished cells. Returns false if a stop was requested.
bool train(Plan& plan, const Logger& logger) {
  std::vector<CellJob> jobs;
  for (const auto& cell : plan.unfinished) jobs.push_back(make_job(cell));
  size_t ended = 0;
  double seconds = 0;
  auto pool = plan.pool;
  pool.on_start = [](const CellJob&) {};
  pool.on_end = [&](const CellJob& job, const JobEnd& end) {
    ++ended;
    seconds += end.seconds;
    const double mean = seconds / static_cast<double>(ended);
    const double left = mean * static_cast<double>(jobs.size() - ended) / pool.jobs;
    if (end.status != 0 && !pool.stop_requested()) {
      plan.errors[job.directory] = end.error_message;
      logger->warn("{} failed: {} (see {})", job.title, end.error_message, job.log.string());
    }
    logger->info("{} of {}: {}  {}, {} left", ended, jobs.size(), job.title,
                 format_duration(end.seconds), format_duration(left));
  };
  return run_cells(jobs, pool);
}

std::vector<fs::path> write_files(const Plan& plan, const Result& result) {
  const auto file = [&](const char* extension) { return plan.root / (plan.name + extension); };
  const std::vector<std::pair<fs::path, std::string>> texts = {
      {file(".md"), result_markdown(result)},
      {file(".html"), result_html(result, plan.root)},
      {file(".csv"), result_csv(result)}};
  fs::create_directories(plan.root);
  std::vector<fs::path> files;
  for (const auto& image : result.images) {
    io::write_file_atomically(plan.root / image.file, image.svg);
  }
  for (const auto& [path, text] : texts) {
    io::write_file_atomically(path, text);
    files.push_back(path);
  }
  return files;
}

Result make_result(const Plan& plan, const ReproduceRequest& request, const Logger& logger) {
  auto cells = plan.cells;
  auto errors = plan.errors;
  for (const auto& group : plan.unavailable) {
    for (const auto& cell : group.cells) {
      errors[cell.directory] = group.reason;
      cells.push_back(cell);
    }
  }
  auto result = collect_result(plan.experiment, plan.scale, plan.datasets, cells, errors);
  result.name = plan.name;
  result.command = request.command;
  result.images = figure_maps(plan.experiment, plan.cells, plan.name, logger);
  const auto charts = result_charts(result);
  result.images.insert(result.images.end(), charts.begin(), charts.end());
  return result;
}

}  // namespace

ReproduceOutcome reproduce(const ReproduceRequest& request,
                           const ReproduceEnvironment& environment) {
  auto plan = make_plan(request, environment);
  log_plan(plan, environment.logger);
  ReproduceOutcome outcome;
  outcome.finished = train(plan, environment.logger);
  outcome.failed = static_cast<int64_t>(plan.errors.size());
  outcome.result = make_result(plan, request, environment.logger);
  outcome.files = write_files(plan, outcome.result);
  return outcome;
}

ReproductionPlan plan_reproduction(const ReproduceRequest& request,
                                   const ReproduceEnvironment& environment) {
  const auto plan = make_plan(request, environment);
  log_plan(plan, environment.logger);
  ReproductionPlan result{.name = plan.name,
                          .scale = plan.scale.name,
                          .recipe = plan.scale.words,
                          .jobs = plan.pool.jobs,
                          .threads = plan.pool.threads,
                          .unfinished = static_cast<int64_t>(plan.unfinished.size()),
                          .seconds = estimate_seconds(plan.unfinished, plan.datasets, plan.pool),
                          .skipped = {},
                          .cells = {}};
  for (const auto& group : plan.unavailable) {
    result.skipped.push_back({.column = group.column,
                              .cells = static_cast<int64_t>(group.cells.size()),
                              .reason = group.reason});
  }
  std::set<fs::path> unfinished;
  for (const auto& cell : plan.unfinished) unfinished.insert(cell.directory);
  for (const auto& cell : plan.cells) {
    const bool blocked = plan.errors.count(cell.directory) > 0;
    result.cells.push_back({.title = cell.title,
                            .directory = cell.directory,
                            .settings = cell.config,
                            .blocked = blocked,
                            .finished = !blocked && !unfinished.count(cell.directory)});
  }
  return result;
}

}  // namespace projnce::reproduce
