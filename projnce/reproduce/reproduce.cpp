#include "projnce/reproduce/reproduce.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "projnce/core/error.h"
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
#include "projnce/reproduce/collect.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/result.h"
#include "projnce/reproduce/result_charts.h"
#include "projnce/reproduce/result_formats.h"
#include "projnce/reproduce/result_html.h"

namespace projnce::reproduce {

namespace {

namespace fs = std::filesystem;

/// A t-SNE map of the test samples for each finished run of the experiment's map seed; `prefix`
/// starts the files' names.
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
  const io::TemporaryFolder folder("estimate");
  auto config = cell.config;
  const auto batch = whole_setting(config, "train", "batch_size", 256);
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
  if (end.status != 0) fail_runtime("the trial of ", cell.title, " failed: ", end.error_message_of);
  std::ifstream file(io::RunPaths{job.directory}.summary());
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

/// How many seconds these cells will take, `pool.jobs` at a time. Trains a few steps on each
/// dataset and judges them as a cell is judged, in a folder that is thrown away: that measures this
/// machine as it is now.
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

void keep_only(std::vector<Method>& methods, const std::vector<std::string>& only) {
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

/// A reproduction before anything is trained.
struct Plan {
  Scale scale;
  Experiment experiment;
  std::vector<PaperDataset> datasets;
  std::vector<Cell> cells;
  std::vector<UnavailableCells> impossible;  ///< not among `cells`
  std::vector<Cell> unfinished;
  CellErrors complaints;
  CellPool pool;
  fs::path root;     ///< of the scale
  std::string name;  ///< of the result's files
};

std::string result_name(const Experiment& experiment, const ReproduceRequest& request,
                        const std::vector<PaperDataset>& datasets) {
  auto name = experiment.name;
  if (request.datasets.empty()) return name;
  for (const auto& dataset : datasets) name += "-" + dataset.name;
  return name;
}

/// What may be trained on instead: datasets that are here, not those that are wanted and cannot be
/// read.
std::string replacement_hint(const std::vector<PaperDataset>& wanted,
                             const dataset::OpenContext& context) {
  auto names = present_datasets(context);
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const PaperDataset& dataset) { return dataset.name == name; });
  });
  const auto folder = "--dataset FOLDER, with a sub-folder for each class";
  if (names.empty()) return concat("train on data of your own instead: ", folder);
  return concat("train on what is here instead: --dataset ", join(names, ", --dataset "), ", or ",
                folder);
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
                        const std::vector<UnavailableCells>& impossible) {
  if (!cells.empty() || impossible.empty()) return;
  std::vector<std::string> reasons;
  for (const auto& group : impossible) reasons.push_back(concat(group.column, ": ", group.reason));
  fail("no cell of this table can be trained; ", join(reasons, "; "));
}

CellPool make_pool(const ReproduceRequest& request, const Scale& scale, size_t cells) {
  const int cores = available_cores();
  const int wanted = request.jobs > 0 ? request.jobs : (scale.several_at_once ? cores : 1);
  const int jobs = std::clamp<int>(wanted, 1, static_cast<int>(std::max<size_t>(cells, 1)));
  return {.program = request.program, .jobs = jobs, .threads = std::max(1, cores / jobs)};
}

void find_unfinished(Plan& plan) {
  for (const auto& cell : plan.cells) {
    try {
      if (!is_finished(cell)) plan.unfinished.push_back(cell);
    } catch (const Error& error) {
      plan.complaints[cell.directory] = error.what();
    }
  }
}

Plan make_plan(const ReproduceRequest& request, const ReproduceEnvironment& environment) {
  Plan plan;
  plan.scale = read_scale(request.scale);
  plan.experiment = read_experiment(request.what, request.scale);
  keep_only(plan.experiment.methods, request.only);
  plan.datasets =
      find_paper_datasets(plan.experiment, plan.scale, request.datasets, environment.data);
  fail_without_data(plan.datasets, environment.data);
  plan.root = request.out / plan.scale.name;
  plan.name = result_name(plan.experiment, request, plan.datasets);
  plan.cells = plan_cells(plan.experiment, plan.scale, plan.datasets, plan.root,
                          request.seeds > 0 ? request.seeds : plan.scale.seeds);
  plan.impossible = remove_unavailable_cells(plan.cells, environment.data);
  fail_without_cells(plan.cells, plan.impossible);
  find_unfinished(plan);
  plan.pool = make_pool(request, plan.scale, plan.unfinished.size());
  plan.pool.stop_requested = environment.stop_requested;
  return plan;
}

void announce(const Plan& plan, const Logger& logger) {
  logger->info("{}: {}; scale {}", plan.name, plan.experiment.title, plan.scale.name);
  for (const auto& dataset : plan.datasets) {
    if (!dataset.absent.empty()) logger->warn("{}; other cells go on", dataset.absent);
  }
  for (const auto& group : plan.impossible) {
    logger->warn("{}: {} cell(s) left out, they cannot be trained: {}", group.column,
                 group.cells.size(), group.reason);
  }
  for (const auto& [directory, error_message_of] : plan.complaints)
    logger->warn("{}", error_message_of);
  logger->info("{} cells, {} of them finished", plan.cells.size(),
               plan.cells.size() - plan.unfinished.size() - plan.complaints.size());
  if (plan.unfinished.empty()) return;
  logger->info("{} to train, {} at once with {} thread(s) each", plan.unfinished.size(),
               plan.pool.jobs, plan.pool.threads);
}

CellJob make_job(const Cell& cell) {
  fs::create_directories(cell.directory.parent_path());
  io::write_file_atomically(cell.config_file(), to_toml(cell.config));
  return {.title = cell.title,
          .config = cell.config_file(),
          .directory = cell.directory,
          .log = cell.directory.string() + ".log"};
}

/// Trains what is unfinished; false where a stop was requested.
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
      plan.complaints[job.directory] = end.error_message_of;
      logger->warn("{} failed: {} (see {})", job.title, end.error_message_of, job.log.string());
    }
    logger->info("{} of {}: {}  {}, {} left", ended, jobs.size(), job.title,
                 format_duration(end.seconds), format_duration(left));
  };
  return run_cells(jobs, pool);
}

std::vector<fs::path> write_files(const Plan& plan, const Result& result) {
  const auto file = [&](const char* ending) { return plan.root / (plan.name + ending); };
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
  auto complaints = plan.complaints;
  for (const auto& group : plan.impossible) {
    for (const auto& cell : group.cells) {
      complaints[cell.directory] = group.reason;
      cells.push_back(cell);
    }
  }
  auto result = collect_result(plan.experiment, plan.scale, plan.datasets, cells, complaints);
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
  announce(plan, environment.logger);
  ReproduceOutcome outcome;
  outcome.finished = train(plan, environment.logger);
  outcome.failed = static_cast<int64_t>(plan.complaints.size());
  outcome.result = make_result(plan, request, environment.logger);
  outcome.files = write_files(plan, outcome.result);
  return outcome;
}

nlohmann::ordered_json plan_reproduction(const ReproduceRequest& request,
                                         const ReproduceEnvironment& environment) {
  const auto plan = make_plan(request, environment);
  announce(plan, environment.logger);
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  nlohmann::ordered_json impossible = nlohmann::ordered_json::array();
  for (const auto& group : plan.impossible) {
    impossible.push_back(
        {{"column", group.column}, {"cells", group.cells.size()}, {"reason", group.reason}});
  }
  std::set<fs::path> unfinished;
  for (const auto& cell : plan.unfinished) unfinished.insert(cell.directory);
  for (const auto& cell : plan.cells) {
    cells.push_back({{"title", cell.title},
                     {"directory", cell.directory.string()},
                     {"settings", to_toml(cell.config)},
                     {"blocked", plan.complaints.count(cell.directory) > 0},
                     {"finished", !unfinished.count(cell.directory) &&
                                      !plan.complaints.count(cell.directory)}});
  }
  return {{"name", plan.name},
          {"scale", plan.scale.name},
          {"recipe", plan.scale.words},
          {"jobs", plan.pool.jobs},
          {"threads", plan.pool.threads},
          {"unfinished", plan.unfinished.size()},
          {"seconds", estimate_seconds(plan.unfinished, plan.datasets, plan.pool)},
          {"impossible", impossible},
          {"cells", cells}};
}

}  // namespace projnce::reproduce
