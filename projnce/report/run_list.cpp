#include "projnce/report/run_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/file_lock.h"
#include "projnce/io/regular_file.h"
#include "projnce/report/config_text.h"
#include "projnce/report/run_paths.h"

namespace projnce {

namespace fs = std::filesystem;

namespace {

constexpr int kFolderLevels = 2;  // runs are in the folder itself or in one of its folders
constexpr size_t kLargestFacts = size_t{1} << 20;  // bytes of a configuration or summary
constexpr size_t kMetricsTail = size_t{1} << 16;   // bytes in which the last lines are looked for

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

/// A link whose target is outside of `root`, or nowhere.
bool leads_out(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code error;
  if (!entry.is_symlink(error)) return bool(error);
  const auto target = fs::canonical(entry.path(), error);
  return error || !is_below(target, root);
}

/// The entries of a directory that can be read, by name.
std::vector<fs::directory_entry> entries_of(const fs::path& directory) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(*it);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_runs(const fs::path& directory, const std::string& prefix, const fs::path& root,
              int levels, std::vector<ListedRun>& runs) {
  for (const auto& entry : entries_of(directory)) {
    std::error_code error;
    if (!entry.is_directory(error) || leads_out(entry, root)) continue;
    const auto name = prefix + entry.path().filename().string();
    if (holds_run(entry.path())) {
      const auto files = entries_of(entry.path());
      const bool safe = std::none_of(files.begin(), files.end(),
                                     [&](const auto& file) { return leads_out(file, root); });
      if (safe) runs.push_back({name, entry.path()});
    } else if (levels > 1) {
      add_runs(entry.path(), name + "/", root, levels - 1, runs);
    }
  }
}

void read_config_facts(const fs::path& path, RunFacts& facts) {
  const auto bytes = read_regular_file(path, kLargestFacts);
  const auto config = parse_toml(as_text(bytes.span()), path.string());
  facts.dataset = config_text(config, "dataset", "name");
  facts.loss = config_text(config, "loss", "name");
  facts.encoder = config_text(config, "encoder", "name");
  const auto train = config.tables.find("train");
  if (train == config.tables.end() || !train->second.values.contains("epochs")) return;
  const auto* epochs = std::get_if<int64_t>(&train->second.values.at("epochs").data);
  if (epochs != nullptr) facts.epochs = *epochs;
}

void read_summary_facts(const fs::path& path, RunFacts& facts) {
  const auto bytes = read_regular_file(path, kLargestFacts);
  facts.state = RunState::kFinished;
  const auto summary = nlohmann::json::parse(as_text(bytes.span()));
  // Versions that did not say what they deliver delivered the last epoch.
  const bool says = summary.contains("delivered");
  facts.accuracy =
      (says ? summary.at("delivered").at("top1") : summary.at("accuracy").at("last")).get<double>();
  facts.epoch = summary.at("epochs").get<int64_t>();
}

/// Of several protocols the first of each evaluation counts. A line that is cut off at its start,
/// or is being written, is no JSON.
void read_metrics_facts(const fs::path& path, RunFacts& facts) {
  const auto file = open_regular_file(path);
  const size_t size = std::min<uint64_t>(file.size, kMetricsTail);
  auto bytes = allocate_file_bytes(size, file.name);
  std::istringstream lines(
      std::string(as_text(bytes.span().first(file.read_at(file.size - size, bytes.span())))));
  int64_t judged_epoch = -1;
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) continue;
    const auto epoch = line.at("epoch").get<int64_t>();
    facts.epoch = epoch + 1;
    if (line.at("split") != "test" || epoch == judged_epoch) continue;
    facts.accuracy = line.at("value").at("top1").get<double>();
    judged_epoch = epoch;
  }
}

/// Does nothing where a file is not there or says something else than it should.
template <class Read>
void try_reading(Read&& read) {
  try {
    read();
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
}

int64_t changed_at(const fs::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
}

RunState unfinished_state(const fs::path& lock) {
  const auto lives = lock_owner_lives(lock);
  if (!lives) return RunState::kUnfinished;
  return *lives ? RunState::kRunning : RunState::kStopped;
}

}  // namespace

std::vector<ListedRun> find_runs(const fs::path& root) {
  std::vector<ListedRun> runs;
  if (holds_run(root)) {
    runs.push_back({root.filename().string(), root});
  } else {
    add_runs(root, "", root, kFolderLevels, runs);
  }
  return runs;
}

RunFacts read_run_facts(const ListedRun& run) {
  const RunPaths paths{run.path};
  RunFacts facts{.name = run.name};
  try_reading([&] { read_config_facts(paths.config(), facts); });
  try_reading([&] { read_summary_facts(paths.summary(), facts); });
  if (facts.state != RunState::kFinished) {
    facts.state = unfinished_state(paths.lock());
    try_reading([&] { read_metrics_facts(paths.metrics(), facts); });
  }
  facts.changed = std::max(changed_at(paths.metrics()), changed_at(paths.config()));
  return facts;
}

}  // namespace projnce
