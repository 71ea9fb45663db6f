#include "projnce/reproduce/cells.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>

#include "projnce/config/eval_options.h"
#include "projnce/config/run_config.h"
#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/io/child_process.h"
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
    fail(Hint{"remove it, or give another --out"}, cell.directory.string(),
         " was trained with other settings: ", changes);
  }
  return true;
}

namespace {

/// Why settings cannot be trained with; "" if they can. Remembers what was asked before: cells
/// share most of their settings.
class CellCheck {
 public:
  explicit CellCheck(const dataset::OpenContext& context) : context_(context) {}

  std::string reason(const Cell& cell) {
    const auto& data = cell.config.tables.at("dataset");
    const auto found = remember(to_toml(data), [&] {
      dataset::open_unchecked_dataset(dataset::parse_dataset_options(data, context_.seed),
                                      context_);
    });
    if (!found.empty()) return found;
    auto settings = cell.config;
    settings.tables.erase("dataset");
    settings.values.erase("seed");
    return remember(to_toml(settings), [&] { config::parse_run_config(settings); });
  }

 private:
  template <class Check>
  std::string remember(const std::string& settings, const Check& check) {
    const auto known = reasons_.find(settings);
    if (known != reasons_.end()) return known->second;
    std::string reason;
    try {
      check();
    } catch (const Error& error) {
      reason = error.what();
    }
    return reasons_.emplace(settings, reason).first->second;
  }

  dataset::OpenContext context_;
  std::map<std::string, std::string> reasons_;  // by the settings
};

}  // namespace

std::vector<UnavailableCells> remove_unavailable_cells(std::vector<Cell>& cells,
                                                       const dataset::OpenContext& context) {
  CellCheck check(context);
  std::vector<UnavailableCells> impossible;
  std::vector<Cell> possible;
  for (auto& cell : cells) {
    const auto reason = check.reason(cell);
    if (reason.empty()) {
      possible.push_back(std::move(cell));
      continue;
    }
    auto group = std::find_if(impossible.begin(), impossible.end(), [&](const auto& known) {
      return known.column == cell.column && known.reason == reason;
    });
    if (group == impossible.end()) {
      group = impossible.insert(group, {.column = cell.column, .reason = reason, .cells = {}});
    }
    group->cells.push_back(std::move(cell));
  }
  cells = std::move(possible);
  return impossible;
}

namespace {

namespace fs = std::filesystem;
using CellClock = std::chrono::steady_clock;

constexpr int kCellNotStarted = 1;
constexpr auto kCellLookInterval = std::chrono::milliseconds(20);
constexpr std::string_view kSentenceStart = "projnce: ";
/// Sentences stand at the end of a log; its start may be long.
constexpr std::uintmax_t kLogTail = 1 << 16;

std::uintmax_t log_length(const fs::path& log) {
  std::error_code problem;
  const auto length = fs::file_size(log, problem);
  return problem ? 0 : length;
}

/// The last sentence in the log behind its first `start` bytes; empty where there is none.
std::string last_sentence(const fs::path& log, std::uintmax_t start) {
  const auto length = log_length(log);
  if (length > kLogTail) start = std::max(start, length - kLogTail);
  std::ifstream in(log);
  in.seekg(static_cast<std::streamoff>(start));
  std::string line, sentence;
  while (std::getline(in, line)) {
    if (line.starts_with(kSentenceStart)) sentence = line.substr(kSentenceStart.size());
  }
  return sentence;
}

io::ChildPlan cell_process(const CellJob& job, const CellPool& pool) {
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
  // Threads of OpenMP spin while they wait, which takes the processor from the neighbors.
  if (pool.jobs > 1) plan.environment_defaults = {"OMP_WAIT_POLICY=passive"};
  return plan;
}

struct RunningCell {
  const CellJob* job;
  CellClock::time_point start;
  std::uintmax_t log_start;  ///< what is before it, earlier processes said
  pid_t process;
};

/// The cells that are being trained. None of them outlives it.
class CellRuns {
 public:
  CellRuns(const std::vector<CellJob>& cells, const CellPool& pool) : cells_(cells), pool_(pool) {}
  CellRuns(const CellRuns&) = delete;
  CellRuns& operator=(const CellRuns&) = delete;
  ~CellRuns();

  /// False where a stop was requested before the end.
  bool run();

 private:
  void start_due();
  void start(const CellJob& job);
  bool stopping();
  bool collect_ended();
  void report(const CellJob& job, const JobEnd& end) const;
  void send(int signal) const;
  bool out_of_patience() const { return CellClock::now() - *stop_time_ > pool_.patience; }

  const std::vector<CellJob>& cells_;
  const CellPool& pool_;
  size_t next_ = 0;
  std::vector<RunningCell> running_;
  std::optional<CellClock::time_point> stop_time_;
};

/// Something is running only where a callback threw: it may write its checkpoint nevertheless.
CellRuns::~CellRuns() {
  if (running_.empty()) return;
  send(SIGTERM);
  stop_time_ = CellClock::now();
  for (const auto& cell : running_) {
    while (::waitpid(cell.process, nullptr, WNOHANG) == 0) {
      if (out_of_patience()) ::kill(cell.process, SIGKILL);
      std::this_thread::sleep_for(kCellLookInterval);
    }
  }
}

bool CellRuns::run() {
  while (true) {
    start_due();
    if (running_.empty()) return !stop_time_;
    if (stopping() && out_of_patience()) send(SIGKILL);
    if (!collect_ended()) std::this_thread::sleep_for(kCellLookInterval);
  }
}

void CellRuns::start_due() {
  const auto jobs = static_cast<size_t>(pool_.jobs);
  while (next_ < cells_.size() && running_.size() < jobs && !stopping()) start(cells_[next_++]);
}

void CellRuns::start(const CellJob& job) {
  if (pool_.on_start) pool_.on_start(job);
  try {
    io::check_program(pool_.program);  // it may have gone since the last start
    running_.push_back({.job = &job,
                        .start = CellClock::now(),
                        .log_start = log_length(job.log),
                        .process = io::start_process(cell_process(job, pool_))});
  } catch (const Error& error) {
    report(job, {.status = kCellNotStarted, .error_message_of = error.what()});
  }
}

/// Whether a stop was requested. The first time, tells those that run.
bool CellRuns::stopping() {
  if (!stop_time_ && pool_.stop_requested && pool_.stop_requested()) {
    send(SIGTERM);
    stop_time_ = CellClock::now();
  }
  return stop_time_.has_value();
}

/// Reports who has ended; false where nobody has.
bool CellRuns::collect_ended() {
  for (size_t i = 0; i < running_.size(); ++i) {
    int status = 0;
    if (::waitpid(running_[i].process, &status, WNOHANG) != running_[i].process) continue;
    const auto cell = running_[i];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    const std::chrono::duration<double> time = CellClock::now() - cell.start;
    JobEnd end = {
        .status = io::exit_status(status), .seconds = time.count(), .error_message_of = {}};
    if (end.status != 0) {
      end.error_message_of = last_sentence(cell.job->log, cell.log_start);
      if (end.error_message_of.empty()) end.error_message_of = io::describe_exit(status);
    }
    report(*cell.job, end);
    return true;
  }
  return false;
}

void CellRuns::report(const CellJob& job, const JobEnd& end) const {
  if (pool_.on_end) pool_.on_end(job, end);
}

void CellRuns::send(int signal) const {
  for (const auto& cell : running_) ::kill(cell.process, signal);
}

}  // namespace

bool run_cells(const std::vector<CellJob>& cells, const CellPool& pool) {
  if (pool.jobs < 1) fail("the number of jobs is ", pool.jobs, ", expected at least 1");
  io::check_program(pool.program);
  return CellRuns(cells, pool).run();
}

}  // namespace projnce::reproduce
