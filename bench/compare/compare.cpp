#include "bench/compare/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>

#include "bench/compare/cases.h"
#include "bench/compare/gradient_run.h"
#include "bench/compare/machine.h"
#include "bench/compare/report.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::bench {

namespace {

using nlohmann::ordered_json;

/// Below this fraction of the FMA peak, LibTorch does not use a tuned BLAS.
constexpr double kPoorGemm = 0.25;

void add_options(CLI::App& app, CompareOptions& options) {
  app.add_flag("--compare")->description("compare instead of running Google Benchmark");
  app.add_option("cases", options.cases, "only these cases (default: all)");
  app.add_option("--peers", options.peers.directory,
                 "folder with checkouts of SupContrast and mixed_KSG");
  app.add_option("--python", options.peers.python, "Python with torch and pytorch-metric-learning")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "number of runs of each contestant")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--rows", options.rows, "override N of every case; even, at least 200")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(200, 1 << 20));
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::NonNegativeNumber);
  app.add_flag("--large-peers", options.large_peers,
               "include N x N forms at 16384 rows (8 to 12 GB)");
  app.add_flag("--full-ksg", options.full_ksg,
               "include Mixed KSG at 10000 rows (minutes for the peer)");
  app.add_option("--json", options.json, "write the results to this file");
}

void check_options(const CompareOptions& options, const std::vector<Case>& cases) {
  std::set<std::string> known;
  for (const auto& task : cases) known.insert(task.name);
  for (const auto& name : options.cases) {
    if (known.contains(name)) continue;
    fail("unknown case '", name, "', expected one of: ", fmt::format("{}", fmt::join(known, ", ")));
  }
  for (const auto rows : options.rows) {
    if (rows % 2 != 0) fail("--rows ", rows, ": a batch has two views, so N must be even");
  }
}

bool wanted(const CompareOptions& options, const Case& task) {
  return options.cases.empty() || std::ranges::count(options.cases, task.name) > 0;
}

void warn_about_blas(const CaseResult& outcome, const ordered_json& machine) {
  if (!outcome.roofs || outcome.roofs->gemm >= kPoorGemm * outcome.roofs->fma) return;
  std::cerr << "projnce-bench: LibTorch's matrix product reaches only "
            << fmt::format("{:.0f} % of the FMA peak with {}.\n",
                           100 * outcome.roofs->gemm / outcome.roofs->fma,
                           machine.at("blas").get<std::string>())
            << "  Ratios to contestants that use it are not meaningful. hint: use torch from pip, "
               "which includes MKL, or install libopenblas0-openmp for Debian's torch\n";
}

std::string describe(const ordered_json& machine) {
  const auto text = [&](const char* key) { return machine.at(key).get<std::string>(); };
  return fmt::format("{}, {} threads, {}; torch {} with {} and {}; load {:.1f}\n\n",
                     text("processor"), machine.at("threads").get<int>(), text("instructions"),
                     text("torch"), text("blas"), text("onednn"), machine.at("load").get<double>());
}

int run_cases(Arena& arena, const std::vector<Case>& cases) {
  const auto& options = arena.options();
  ordered_json report = {{"machine", describe_machine(options.threads)},
                         {"rounds", options.rounds},
                         {"cases", ordered_json::array()}};
  std::cout << describe(report.at("machine")) << std::flush;
  bool succeeded = true;
  for (const auto& task : cases) {
    if (!wanted(options, task)) continue;
    const auto outcome = run_case(task, options.rounds, options.threads);
    std::cout << to_text(outcome) << std::endl;
    warn_about_blas(outcome, report.at("machine"));
    report["cases"].push_back(to_json(outcome));
    // Write after each case, so that an interrupted run keeps its results.
    if (!options.json.empty()) io::write_file_atomically(options.json, report.dump(2) + "\n");
    succeeded = succeeded && outcome.problems.empty();
  }
  return succeeded ? 0 : 1;
}

}  // namespace

int compare_main(int argc, char** argv) {
  CompareOptions options;
  CLI::App app("Compare projnce with other implementations on the same data, in alternating runs",
               "projnce-bench");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    options.threads = options.peers.threads = set_all_threads(options.threads);
    check_memory_probe();
    Arena arena(options);
    const auto cases = all_cases(arena);
    check_options(options, cases);
    return run_cases(arena, cases);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << "projnce-bench: " << error.what() << '\n';
    return error.kind() == ErrorKind::kInput ? 2 : 1;
  }
}

}  // namespace projnce::bench
