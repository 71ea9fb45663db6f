#include "projnce/reproduce/cells.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "projnce/config/run_config.h"
#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/child_process.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/run/reproducibility_info.h"

namespace projnce::reproduce {

namespace {

namespace fs = std::filesystem;

Table cell_config(const PaperDataset& dataset, const Scale& scale, const Condition& condition,
                  const Method& method, int64_t seed) {
  auto config = scale.settings_for(dataset.name, dataset.kind);
  overlay(config.tables["dataset"], dataset.table);
  overlay(config, condition.settings);
  overlay(config, method.settings);
  config::set_paper_rule(config.tables["eval"]);
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
  const io::RunPaths paths{cell.directory};
  if (!fs::exists(paths.summary())) return false;
  auto before = read_toml(paths.config());
  config::complete_earlier_rule(before);
  auto now = before;
  overlay(now, cell.config);
  const auto changes = run::setting_changes(before, now);
  if (!changes.empty()) {
    fail(Hint{"remove it, or use another --out"}, cell.directory.string(),
         " was trained with different settings: ", changes);
  }
  return true;
}

namespace {

/// Checks whether the settings of cells can be trained. Caches results, because cells share most of
/// their settings.
class CellCheck {
 public:
  explicit CellCheck(const dataset::OpenContext& context) : context_(context) {}

  /// Returns why the cell cannot be trained; "" if it can.
  std::string reason(const Cell& cell) {
    const auto& data = cell.config.tables.at("dataset");
    const auto found = cached(to_toml(data), [&] {
      dataset::open_unchecked_dataset(dataset::parse_dataset_options(data, context_.seed),
                                      context_);
    });
    if (!found.empty()) return found;
    auto settings = cell.config;
    settings.tables.erase("dataset");
    settings.values.erase("seed");
    return cached(to_toml(settings), [&] { config::parse_run_config(settings); });
  }

 private:
  template <class Check>
  std::string cached(const std::string& settings, const Check& check) {
    const auto found = reasons_.find(settings);
    if (found != reasons_.end()) return found->second;
    std::string reason;
    try {
      check();
    } catch (const Error& error) {
      reason = error.what();
    }
    return reasons_.emplace(settings, reason).first->second;
  }

  dataset::OpenContext context_;
  std::map<std::string, std::string> reasons_;  // key: settings
};

}  // namespace

std::vector<UnavailableCells> remove_unavailable_cells(std::vector<Cell>& cells,
                                                       const dataset::OpenContext& context) {
  CellCheck check(context);
  std::vector<UnavailableCells> unavailable;
  std::vector<Cell> available;
  for (auto& cell : cells) {
    const auto reason = check.reason(cell);
    if (reason.empty()) {
      available.push_back(std::move(cell));
      continue;
    }
    auto group = std::find_if(unavailable.begin(), unavailable.end(), [&](const auto& other) {
      return other.column == cell.column && other.reason == reason;
    });
    if (group == unavailable.end()) {
      group = unavailable.insert(group, {.column = cell.column, .reason = reason, .cells = {}});
    }
    group->cells.push_back(std::move(cell));
  }
  cells = std::move(available);
  return unavailable;
}

namespace {

namespace fs = std::filesystem;
using CellClock = std::chrono::steady_clock;

constexpr int kStartFailedStatus = 1;
constexpr auto kPollInterval = std::chrono::milliseconds(20);
constexpr std::string_view kErrorPrefix = "projnce: ";
/// Error messages are at the end of a log, which may be long.
constexpr std::uintmax_t kLogTail = 1 << 16;

std::uintmax_t log_length(const fs::path& log) {
  std::error_code problem;
  const auto length = fs::file_size(log, problem);
  return problem ? 0 : length;
}

/// Last error message in the log after the first `start` bytes; empty if there is none.
std::string last_error_message(const fs::path& log, std::uintmax_t start) {
  const auto length = log_length(log);
  if (length <= start) return {};
  std::istringstream in(io::read_file_end(log, std::min(length - start, kLogTail)));
  std::string line, message;
  while (std::getline(in, line)) {
    if (line.starts_with(kErrorPrefix)) message = line.substr(kErrorPrefix.size());
  }
  return message;
}

io::ChildPlan make_child_plan(const CellJob& job, const CellPool& pool) {
  io::ChildPlan plan = {
      .title = job.title,
      .program = pool.program,
      .arguments = {"train", job.config.string(), "--out", job.directory.string(), "--resume",
                    "--json"},
      .output = io::ChildOutput::kDiscarded,
      .error_log = job.log,
  };
  if (pool.threads > 0) {
    plan.arguments.insert(plan.arguments.end(), {"--set", concat("threads=", pool.threads)});
  }
  // Waiting OpenMP threads spin by default, which takes CPU time from the other processes.
  if (pool.jobs > 1) plan.environment_defaults = {"OMP_WAIT_POLICY=passive"};
  return plan;
}

struct RunningCell {
  const CellJob* job;
  CellClock::time_point start;
  std::uintmax_t log_start;  ///< length of the log before the process started
  pid_t process;
};

/// Running training processes. Terminates them on destruction.
class CellProcesses {
 public:
  CellProcesses(const std::vector<CellJob>& cells, const CellPool& pool)
      : cells_(cells), pool_(pool) {}
  CellProcesses(const CellProcesses&) = delete;
  CellProcesses& operator=(const CellProcesses&) = delete;
  ~CellProcesses();

  /// Returns false if a stop was requested.
  bool run();

 private:
  void start_next();
  void start(const CellJob& job);
  bool stopping();
  bool reap_one();
  void report(const CellJob& job, const JobEnd& end) const;
  void send(int signal) const;
  bool grace_period_over() const { return CellClock::now() - *stop_time_ > pool_.patience; }

  const std::vector<CellJob>& cells_;
  const CellPool& pool_;
  size_t next_ = 0;
  std::vector<RunningCell> running_;
  std::optional<CellClock::time_point> stop_time_;
};

/// Processes are only running here if a callback threw; lets them write their checkpoints.
CellProcesses::~CellProcesses() {
  if (running_.empty()) return;
  send(SIGTERM);
  stop_time_ = CellClock::now();
  for (const auto& cell : running_) {
    while (::waitpid(cell.process, nullptr, WNOHANG) == 0) {
      if (grace_period_over()) ::kill(cell.process, SIGKILL);
      std::this_thread::sleep_for(kPollInterval);
    }
  }
}

bool CellProcesses::run() {
  while (true) {
    start_next();
    if (running_.empty()) return !stop_time_;
    if (stopping() && grace_period_over()) send(SIGKILL);
    if (!reap_one()) std::this_thread::sleep_for(kPollInterval);
  }
}

void CellProcesses::start_next() {
  const auto jobs = static_cast<size_t>(pool_.jobs);
  while (next_ < cells_.size() && running_.size() < jobs && !stopping()) start(cells_[next_++]);
}

void CellProcesses::start(const CellJob& job) {
  if (pool_.on_start) pool_.on_start(job);
  try {
    io::check_program(pool_.program);  // may have been removed since the last start
    running_.push_back({.job = &job,
                        .start = CellClock::now(),
                        .log_start = log_length(job.log),
                        .process = io::start_process(make_child_plan(job, pool_))});
  } catch (const Error& error) {
    report(job, {.status = kStartFailedStatus, .error_message = error.what()});
  }
}

/// Returns true if a stop was requested. Sends SIGTERM to the running processes the first time.
bool CellProcesses::stopping() {
  if (!stop_time_ && pool_.stop_requested && pool_.stop_requested()) {
    send(SIGTERM);
    stop_time_ = CellClock::now();
  }
  return stop_time_.has_value();
}

/// Reports one process that has ended; returns false if there is none.
bool CellProcesses::reap_one() {
  for (size_t i = 0; i < running_.size(); ++i) {
    int status = 0;
    if (::waitpid(running_[i].process, &status, WNOHANG) != running_[i].process) continue;
    const auto cell = running_[i];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    const std::chrono::duration<double> time = CellClock::now() - cell.start;
    JobEnd end = {.status = io::exit_status(status), .seconds = time.count(), .error_message = {}};
    if (end.status != 0) {
      end.error_message = last_error_message(cell.job->log, cell.log_start);
      if (end.error_message.empty()) end.error_message = io::describe_exit(status);
    }
    report(*cell.job, end);
    return true;
  }
  return false;
}

void CellProcesses::report(const CellJob& job, const JobEnd& end) const {
  if (pool_.on_end) pool_.on_end(job, end);
}

void CellProcesses::send(int signal) const {
  for (const auto& cell : running_) ::kill(cell.process, signal);
}

}  // namespace

bool run_cells(const std::vector<CellJob>& cells, const CellPool& pool) {
  if (pool.jobs < 1) fail("--jobs = ", pool.jobs, ", expected at least 1");
  io::check_program(pool.program);
  return CellProcesses(cells, pool).run();
}

}  // namespace projnce::reproduce
