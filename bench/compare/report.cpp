#include "bench/compare/report.h"

#include <fmt/format.h>

#include <cmath>

namespace projnce::bench {

namespace {

using nlohmann::ordered_json;

std::string readable_seconds(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

std::string readable_bytes(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// Ratio to the first contestant; NaN if that has no time.
double ratio(const CaseResult& outcome, const Result& result) {
  return result.seconds() / outcome.results.front().seconds();
}

double share(const CaseResult& outcome, const Result& result, double rate) {
  return outcome.task.flops / result.seconds() / rate;
}

std::string row(const CaseResult& outcome, const Result& result) {
  const auto& name = result.contestant.name;
  if (!result.available()) return fmt::format("  {:<34} {}\n", name, result.contestant.unavailable);
  auto text =
      fmt::format("  {:<34} {:>10} {:>8.2f} {:>13}", name, readable_seconds(result.seconds()),
                  ratio(outcome, result), readable_bytes(result.peak_bytes));
  if (outcome.roofs) {
    text += fmt::format(" {:>8.1f} % {:>8.1f} %", 100 * share(outcome, result, outcome.roofs->fma),
                        100 * share(outcome, result, outcome.roofs->gemm));
  }
  return text + fmt::format("   {:.6g}\n", result.last.value);
}

std::string head(const CaseResult& outcome) {
  const auto& task = outcome.task;
  auto text = fmt::format("{}: N = {}, d = {}, {} classes{}{}\n", task.name, task.rows, task.dims,
                          task.classes, task.note.empty() ? "" : ", ", task.note);
  text += fmt::format("  {:<34} {:>10} {:>8} {:>13}", "", "time", "ratio", "memory");
  if (outcome.roofs) text += fmt::format(" {:>10} {:>10}", "of FMA", "of GEMM");
  return text + "   value\n";
}

/// Compile time of torch.compile; empty for contestants that are not compiled.
std::string compilation(const Result& result) {
  if (!result.available() || result.last.compile_seconds == 0) return {};
  return fmt::format("  {}: compiled in {:.1f} s, not timed; {} graph breaks\n",
                     result.contestant.name, result.last.compile_seconds, result.last.graph_breaks);
}

/// Replaces NaN by null, because JSON has no NaN.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json to_json(const CaseResult& outcome, const Result& result) {
  if (!result.available()) {
    return {{"name", result.contestant.name}, {"unavailable", result.contestant.unavailable}};
  }
  ordered_json object = {{"name", result.contestant.name},
                         {"computes", result.contestant.computes},
                         {"seconds", result.seconds()},
                         {"ratio", number(ratio(outcome, result))},
                         {"turns", result.turns},
                         {"peak_bytes", result.peak_bytes},
                         {"value", number(result.last.value)},
                         {"gradient_norm", number(result.last.gradient_norm)}};
  if (result.last.compile_seconds > 0) {
    object["compile_seconds"] = result.last.compile_seconds;
    object["graph_breaks"] = result.last.graph_breaks;
  }
  if (outcome.roofs) {
    object["share_of_fma"] = share(outcome, result, outcome.roofs->fma);
    object["share_of_gemm"] = share(outcome, result, outcome.roofs->gemm);
  }
  return object;
}

}  // namespace

std::string to_text(const CaseResult& outcome) {
  auto text = head(outcome);
  for (const auto& result : outcome.results) text += row(outcome, result);
  for (const auto& result : outcome.results) text += compilation(result);
  if (outcome.roofs) {
    text += fmt::format("  roofs: FMA {:.1f}, GEMM {:.1f} GFLOP/s\n", 1e-9 * outcome.roofs->fma,
                        1e-9 * outcome.roofs->gemm);
  }
  for (const auto& problem : outcome.problems) text += "  ERROR: " + problem + "\n";
  return text;
}

ordered_json to_json(const CaseResult& outcome) {
  const auto& task = outcome.task;
  ordered_json object = {
      {"case", task.name}, {"rows", task.rows},
      {"dims", task.dims}, {"classes", task.classes},
      {"note", task.note}, {"clock", task.clock == Clock::kCpu ? "cpu" : "wall"}};
  if (outcome.roofs) {
    object["flops"] = task.flops;
    object["roofs"] = {{"fma", outcome.roofs->fma}, {"gemm", outcome.roofs->gemm}};
  }
  object["contestants"] = ordered_json::array();
  for (const auto& result : outcome.results) {
    object["contestants"].push_back(to_json(outcome, result));
  }
  object["problems"] = outcome.problems;
  return object;
}

}  // namespace projnce::bench
