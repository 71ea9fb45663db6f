#include "projnce/report/server/run_index.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <sstream>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/table.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/report/chart/canvas.h"
#include "projnce/report/page/former_names.h"
#include "projnce/report/page/html_document.h"

namespace projnce::report {

namespace fs = std::filesystem;

namespace {

constexpr int kFolderLevels = 2;                  // runs are in the folder or in a direct subfolder
constexpr size_t kMetricsTail = size_t{1} << 16;  // bytes searched for the last lines

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

/// Returns true for a link that is broken or whose target is outside of `root`.
bool leads_out(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code error;
  if (!entry.is_symlink(error)) return bool(error);
  const auto target = fs::canonical(entry.path(), error);
  return error || !is_below(target, root);
}

/// Returns the readable entries of a directory, sorted by name.
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
    if (io::contains_run(entry.path())) {
      const auto files = entries_of(entry.path());
      const bool safe = std::none_of(files.begin(), files.end(),
                                     [&](const auto& file) { return leads_out(file, root); });
      if (safe) runs.push_back({name, entry.path()});
    } else if (levels > 1) {
      add_runs(entry.path(), name + "/", root, levels - 1, runs);
    }
  }
}

void read_config_facts(const fs::path& path, RunSummary& facts) {
  const auto config = io::read_toml(path);
  facts.dataset = config_text(config, "dataset", "name");
  facts.loss = present_loss(config_text(config, "loss", "name"));
  facts.encoder = config_text(config, "encoder", "name");
  const auto train = config.tables.find("train");
  if (train == config.tables.end() || !train->second.values.contains("epochs")) return;
  const auto* epochs = std::get_if<int64_t>(&train->second.values.at("epochs").data);
  if (epochs != nullptr) facts.epochs = *epochs;
}

void read_summary_facts(const fs::path& path, RunSummary& facts) {
  const auto text = io::read_text_file(path, io::kMostSummaryBytes);
  facts.state = RunState::kFinished;
  const auto summary = parse_json(text, path.string());
  // Summaries of older versions have no `delivered`; they delivered the last epoch.
  const bool says = summary.contains("delivered");
  facts.accuracy =
      (says ? summary.at("delivered").at("top1") : summary.at("accuracy").at("last")).get<double>();
  facts.epoch = json_count(summary.at("epochs"), path.string());
}

/// Uses the first protocol of each evaluation. Skips lines that are not JSON: the first may be
/// truncated, the last incomplete.
void read_metrics_facts(const fs::path& path, RunSummary& facts) {
  std::istringstream lines(io::read_file_end(path, kMetricsTail));
  int64_t evaluated_epoch = -1;
  for (std::string text; std::getline(lines, text);) {
    const auto line = try_parse_json<nlohmann::json>(text);
    if (!line.is_object()) continue;
    const auto epoch = json_count(line.at("epoch"), path.string());
    facts.epoch = epoch + 1;
    if (line.at("split") != "test" || epoch == evaluated_epoch) continue;
    facts.accuracy = line.at("value").at("top1").get<double>();
    evaluated_epoch = epoch;
  }
}

/// Ignores missing and malformed files.
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
  const auto lives = io::is_lock_owner_alive(lock);
  if (!lives) return RunState::kUnfinished;
  return *lives ? RunState::kRunning : RunState::kStopped;
}

}  // namespace

std::vector<ListedRun> find_runs(const fs::path& root) {
  std::vector<ListedRun> runs;
  if (io::contains_run(root)) {
    runs.push_back({root.filename().string(), root});
  } else {
    add_runs(root, "", root, kFolderLevels, runs);
  }
  return runs;
}

RunSummary read_run_summary(const ListedRun& run) {
  const io::RunPaths paths{run.path};
  RunSummary facts{.name = run.name};
  try_reading([&] { read_config_facts(paths.config(), facts); });
  try_reading([&] { read_summary_facts(paths.summary(), facts); });
  if (facts.state != RunState::kFinished) {
    facts.state = unfinished_state(paths.lock());
    try_reading([&] { read_metrics_facts(paths.metrics(), facts); });
  }
  facts.changed = std::max(changed_at(paths.metrics()), changed_at(paths.config()));
  return facts;
}

namespace {

constexpr std::string_view kIndexStyle = R"(
body { max-width: 60rem; }
a { color: inherit; text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; text-underline-offset: .2em; }
ul { margin: 1.75rem 0 0; padding: 0; list-style: none; background: var(--panel);
  border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
li { display: grid; margin: 0; grid-template-columns: 1.25rem minmax(0, 1fr) 8.5rem 8rem; gap: 0 1.1rem;
  align-items: center; padding: .85rem 1.2rem; }
li + li { border-top: 1px solid var(--line); }
li:hover { background: color-mix(in srgb, var(--accent) 5%, transparent); }
li:has(:checked) { background: color-mix(in srgb, var(--accent) 10%, transparent); }
input { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); }
.name { font-weight: 600; overflow-wrap: anywhere; }
.name .folder { color: var(--soft); font-weight: 400; }
.about { color: var(--soft); font-size: .87rem; overflow-wrap: anywhere; }
time { white-space: nowrap; }
.state { font-size: .87rem; color: var(--soft); text-align: right; }
.running { color: var(--good); font-weight: 600; }
.accuracy { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; }
.accuracy svg { display: block; width: 100%; height: 4px; margin-top: .35rem; border-radius: 2px; }
.track { fill: var(--line); }
.share { fill: var(--accent); }
.none { color: var(--soft); font-weight: 400; }
.compare { position: sticky; bottom: 0; display: flex; gap: 1rem; align-items: center;
  justify-content: flex-end; padding: .9rem 0; background: var(--ground); color: var(--soft); }
button { padding: .55rem 1.1rem; border: 0; border-radius: 8px; background: var(--accent);
  color: var(--ground); font: inherit; font-weight: 600; cursor: pointer; }
form:not(:has(li :checked)) button { opacity: .45; }
@media (max-width: 40rem) {
  body { padding: 1.5rem .9rem 1rem; }
  li { grid-template-columns: 1.25rem minmax(0, 1fr) 6rem; gap: .15rem .9rem; padding: .8rem .9rem; }
  .state { grid-column: 3; grid-row: 2; font-size: .8rem; }
  .accuracy { grid-column: 3; grid-row: 1; }
  .run { grid-row: 1 / 3; }
  input { grid-row: 1 / 3; }
}
)";

constexpr std::string_view kUnreserved = "-._~/";  // not percent-encoded

/// Formats a name with its folder in a softer color.
std::string run_name_html(const std::string& name) {
  const auto shown = display_name(name);
  const auto cut = shown.rfind('/') + 1;
  if (cut == 0) return io::escape_html(shown);
  return fmt::format("<span class=\"folder\">{}</span>{}", io::escape_html(shown.substr(0, cut)),
                     io::escape_html(shown.substr(cut)));
}

std::string about_html(const RunSummary& run) {
  std::string line;
  for (const auto& fact : {run.dataset, run.loss, run.encoder}) {
    if (fact.empty()) continue;
    line += (line.empty() ? "" : " · ") + io::escape_html(display_name(fact));
  }
  if (run.changed == 0) return line;
  return line + fmt::format("{}<time>{:%Y-%m-%d %H:%M}</time>", line.empty() ? "" : " · ",
                            fmt::localtime(std::time_t{run.changed}));
}

std::string state_html(const RunSummary& run) {
  const auto progress = run.epochs > 0 ? fmt::format("epoch {} of {}", run.epoch, run.epochs) : "";
  switch (run.state) {
    case RunState::kFinished:
      return "finished<br>" + counted(run.epoch, "epoch");
    case RunState::kRunning:
      return "<span class=\"running\">running</span><br>" + progress;
    case RunState::kStopped:
      return "stopped<br>" + progress;
    case RunState::kUnfinished:
      break;
  }
  return "unfinished<br>" + progress;
}

std::string accuracy_html(const std::optional<double>& accuracy) {
  if (!accuracy) return "<span class=\"none\">–</span>";
  const double percent = 100 * std::clamp(*accuracy, 0.0, 1.0);
  return fmt::format(
      "{:.2f} %<svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"track\" width=\"100\" height=\"4\"/>"
      "<rect class=\"share\" width=\"{:.2f}\" height=\"4\"/></svg>",
      percent, percent);
}

std::string run_html(const RunSummary& run) {
  return fmt::format(
      "<li><input type=\"checkbox\" name=\"run\" value=\"{}\" aria-label=\"compare {}\">"
      "<div class=\"run\"><a class=\"name\" href=\"{}\">{}</a><div class=\"about\">{}</div></div>"
      "<div class=\"state\">{}</div><div class=\"accuracy\">{}</div></li>\n",
      io::escape_html(run_key(run.name)), io::escape_html(display_name(run.name)),
      io::escape_html(run_address(run.name)), run_name_html(run.name), about_html(run),
      state_html(run), accuracy_html(run.accuracy));
}

std::string list_html(const std::vector<RunSummary>& runs) {
  std::string html = "<form action=\"/compare/\" method=\"get\">\n<ul>\n";
  for (const auto& run : runs) html += run_html(run);
  return html +
         "</ul>\n<div class=\"compare\">Select runs to compare."
         "<button>Compare</button></div>\n</form>\n";
}

}  // namespace

std::string run_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || kUnreserved.find(c) != kUnreserved.npos;
    key += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return key;
}

std::string run_address(std::string_view name) {
  return "/run/" + run_key(name) + "/";
}

std::string run_index_html(std::vector<RunSummary> runs, std::string_view folder) {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.changed > b.changed; });
  const auto where = display_name(folder);
  const auto running = std::count_if(
      runs.begin(), runs.end(), [](const auto& run) { return run.state == RunState::kRunning; });
  auto summary = concat(counted(runs.size(), "run"), " in ", where);
  if (running > 0) summary += fmt::format(", {} running", running);
  HtmlDocument document("Runs", kIndexStyle);
  document.header("Runs", summary);
  if (runs.empty()) {
    document.paragraph("No runs yet. To train one:");
    document.code(fmt::format("projnce train --data FOLDER --out {}/NAME", where));
  } else {
    document.markup(list_html(runs));
  }
  return document.finish();
}

std::string message_html(std::string_view title, std::string_view message) {
  HtmlDocument document(title, kIndexStyle);
  document.header(title, message);
  document.markup("<p><a href=\"/\">All runs</a></p>\n");
  return document.finish();
}

}  // namespace projnce::report
