#include "bench/training/contest.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iostream>

#include "bench/compare/machine_roofs.h"
#include "bench/compare/stopwatch.h"
#include "bench/training/neighbors.h"
#include "projnce/core/error.h"

namespace projnce::bench {

namespace {

using nlohmann::ordered_json;

/// Parts of a step, in order.
constexpr std::array kParts = {"waiting for data", "forward", "loss", "backward", "optimizer"};

struct Entry {
  Rival rival;
  std::vector<Turn> turns = {};

  bool runs() const { return rival.unavailable.empty(); }
  /// Median seconds per step.
  double seconds() const {
    std::vector<double> all;
    for (const auto& turn : turns) all.push_back(turn.seconds / static_cast<double>(turn.steps));
    return median(all);
  }
  double part_seconds(const std::string& part) const {
    std::vector<double> all;
    for (const auto& turn : turns) {
      const auto found = turn.parts.find(part);
      all.push_back(found == turn.parts.end() ? 0
                                              : found->second / static_cast<double>(turn.steps));
    }
    return median(all);
  }
};

void take_turn(Entry& entry) {
  if (!entry.runs()) return;
  try {
    entry.turns.push_back(entry.rival.turn());
  } catch (const std::exception& error) {
    entry.rival.unavailable = error.what();
  }
}

double child_cpu_seconds(const std::vector<Entry>& entries) {
  double seconds = 0;
  for (const auto& entry : entries) {
    for (const auto& turn : entry.turns) seconds += turn.child_cpu_seconds;
  }
  return seconds;
}

/// Ratio to the step time of projnce, the last entry; NaN if that did not run.
double times_ours(const std::vector<Entry>& entries, const Entry& entry) {
  const auto& ours = entries.back();
  return ours.runs() ? entry.seconds() / ours.seconds() : std::nan("");
}

std::string head(const Contest& contest) {
  auto text = fmt::format("{}: {}\n  {:<40}", contest.name, contest.title, "");
  if (contest.samples > 0) text += fmt::format(" {:>10}", "samples/s");
  text += fmt::format(" {:>9} {:>9}", "ms/step", "ratio");
  if (contest.flops > 0) text += fmt::format(" {:>9} {:>8}", "GFLOP/s", "of peak");
  return text + "\n";
}

std::string row(const Contest& contest, const std::vector<Entry>& entries, const Entry& entry,
                double peak) {
  auto text = fmt::format("  {:<40}", entry.rival.name);
  if (!entry.runs()) return text + " " + entry.rival.unavailable + "\n";
  const double seconds = entry.seconds();
  if (contest.samples > 0) {
    text += fmt::format(" {:>10.1f}", static_cast<double>(contest.samples) / seconds);
  }
  text += fmt::format(" {:>9.2f} {:>8.2f}x", 1e3 * seconds, times_ours(entries, entry));
  if (contest.flops > 0) {
    text += fmt::format(" {:>9.0f} {:>6.1f} %", 1e-9 * contest.flops / seconds,
                        100 * contest.flops / seconds / peak);
  }
  return text + "\n";
}

/// Formats the parts of a step: "forward 12.3 ms (40 %), ...".
std::string parts_text(const Entry& entry) {
  std::vector<std::string> texts;
  for (const auto* name : kParts) {
    const double seconds = entry.part_seconds(name);
    if (seconds > 0) {
      texts.push_back(fmt::format("{} {:.2f} ms ({:.0f} %)", name, 1e3 * seconds,
                                  100 * seconds / entry.seconds()));
    }
  }
  if (texts.empty()) return {};
  return fmt::format("  {}: {}\n", entry.rival.name, fmt::join(texts, ", "));
}

ordered_json to_json(const Contest& contest, const std::vector<Entry>& entries, const Entry& entry,
                     double peak) {
  if (!entry.runs()) {
    return {{"name", entry.rival.name}, {"unavailable", entry.rival.unavailable}};
  }
  const double seconds = entry.seconds();
  ordered_json object = {{"name", entry.rival.name}, {"step_ms", 1e3 * seconds}};
  if (contest.samples > 0) {
    object["samples_per_second"] = static_cast<double>(contest.samples) / seconds;
  }
  if (entries.back().runs()) object["times_ours"] = times_ours(entries, entry);
  if (!entry.rival.note.empty()) object["note"] = entry.rival.note;
  if (contest.flops > 0) object["share_of_fma"] = contest.flops / seconds / peak;
  object["loss"] = entry.turns.back().value;
  object["steps_ms"] = ordered_json::array();
  for (const auto& turn : entry.turns) {
    object["steps_ms"].push_back(1e3 * turn.seconds / static_cast<double>(turn.steps));
  }
  for (const auto& [name, unused] : entry.turns.back().parts) {
    object["parts_ms"][name] = 1e3 * entry.part_seconds(name);
  }
  return object;
}

}  // namespace

ordered_json run_contest(const Contest& contest, int threads) {
  std::vector<Entry> entries;
  for (auto& rival : contest.rivals()) entries.push_back({std::move(rival)});
  MachineRoofs roofs(threads);
  const Neighbors neighbors;
  for (int round = 0; round < contest.rounds; ++round) {
    for (auto& entry : entries) take_turn(entry);
    if (contest.flops > 0 || round == 0) roofs.measure();
  }
  const double others = neighbors.share(child_cpu_seconds(entries));
  const double peak = roofs.fma_rate();
  ordered_json report = {{"case", contest.name},       {"title", contest.title},
                         {"samples", contest.samples}, {"flops", contest.flops},
                         {"rounds", contest.rounds},   {"fma_peak", peak},
                         {"others_share", others},     {"rivals", ordered_json::array()}};
  std::cout << head(contest);
  for (const auto& entry : entries) {
    std::cout << row(contest, entries, entry, peak);
    report["rivals"].push_back(to_json(contest, entries, entry, peak));
  }
  if (contest.flops > 0) std::cout << fmt::format("  peak: {:.1f} GFLOP/s;", 1e-9 * peak);
  std::cout << fmt::format("  CPU use of other processes: {:.0f} %\n", 100 * others);
  for (const auto& entry : entries) {
    if (!entry.rival.note.empty()) {
      std::cout << "  " << entry.rival.name << ": " << entry.rival.note << '\n';
    }
  }
  for (const auto& entry : entries) std::cout << parts_text(entry);
  std::cout << std::endl;
  return report;
}

}  // namespace projnce::bench
