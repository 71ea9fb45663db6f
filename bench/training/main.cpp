// Whole training steps: SupContrast's training loop, LibTorch's convolutions, and ours. See
// docs/reports/performance.md.
#include <fmt/format.h>
#include <torch/types.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "bench/compare/machine.h"
#include "bench/training/contests.h"
#include "bench/training/layer_times.h"
#include "projnce/core/allocator.h"
#include "projnce/core/error.h"
#include "projnce/encoder/encoder.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/kernel/isa.h"

namespace projnce::bench {
namespace {

using nlohmann::ordered_json;

const char* const kLayers = "layers";
constexpr int64_t kLayerImages = 128;  // batch of 64 with two views

const char* const kDetails =
    "Rivals run in alternation; times are medians. A sample is an image with its two views. The "
    "LibTorch rival and projnce differ only in the convolution engine; loss and optimizer are "
    "projnce's. SupContrast runs its own network, loss and SGD on images in memory, eager and "
    "compiled with torch.compile; compilation is not timed. GFLOP/s count 2 operations per "
    "multiply-add of direct convolution, forward and both gradients (Winograd needs fewer). The "
    "peak is measured with FMA instructions on registers in the same run. To force AVX2 on a "
    "machine with AVX-512: ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 script/bench "
    "--training --isa avx2, which applies to all rivals; the peak remains that of AVX-512.";

void add_options(CLI::App& app, TrainingBenchOptions& options) {
  app.footer(kDetails);
  app.add_option("cases", options.cases, "only these cases (default: all)");
  app.add_option("--peers", options.peers.directory, "folder with a checkout of SupContrast");
  app.add_option("--python", options.peers.python, "Python interpreter with torch")
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "folder that contains fashion-mnist (default: search path)");
  app.add_option("--rounds", options.rounds, "number of turns of each rival")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "0: all cores")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--isa", options.isa, "instruction set of our kernels")
      ->check(CLI::IsMember({"best", "avx512", "avx2", "plain"}))
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results to this file");
}

kernel::Isa isa_of(const std::string& name) {
  if (name == "avx512") return kernel::Isa::kAvx512;
  if (name == "avx2") return kernel::Isa::kAvx2;
  return name == "plain" ? kernel::Isa::kPlain : kernel::best_isa();
}

bool wanted(const TrainingBenchOptions& options, const std::string& name) {
  return options.cases.empty() || std::ranges::count(options.cases, name) > 0;
}

void check_cases(const TrainingBenchOptions& options, const std::vector<Contest>& contests) {
  std::vector<std::string> known = {kLayers};
  for (const auto& contest : contests) known.push_back(contest.name);
  for (const auto& name : options.cases) {
    if (std::ranges::count(known, name) > 0) continue;
    fail("unknown case '", name, "', expected one of: ", fmt::format("{}", fmt::join(known, ", ")));
  }
}

void run(const TrainingBenchOptions& options) {
  PythonPeers peers(options.peers);
  const auto contests = training_contests(options, peers);
  check_cases(options, contests);
  ordered_json report = {{"machine", describe_machine(options.threads)},
                         {"engine", encoder::describe_engine(encoder::Engine::kNative)},
                         {"cases", ordered_json::array()}};
  const auto add = [&](const ordered_json& entry) {
    report["cases"].push_back(entry);
    // Write after each case, so that an interrupted run keeps its results.
    if (!options.json.empty()) io::write_file_atomically(options.json, report.dump(2) + "\n");
  };
  const auto text = [&](const char* key) { return report["machine"][key].get<std::string>(); };
  std::cout << fmt::format("{}, {} threads, {}, torch {} with {}, load {:.2f}\n\n",
                           text("processor"), options.threads,
                           encoder::describe_engine(encoder::Engine::kNative), text("torch"),
                           text("onednn"), report["machine"]["load"].get<double>())
            << std::flush;
  for (const auto& contest : contests) {
    if (wanted(options, contest.name)) add(run_contest(contest, options.threads));
  }
  if (wanted(options, kLayers)) add(run_layer_times(kLayerImages, options.rounds, options.threads));
}

int training_bench_main(int argc, char** argv) {
  TrainingBenchOptions options;
  CLI::App app("Compare whole training steps with LibTorch and SupContrast",
               "projnce-training-bench");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    disable_malloc_trim();
    options.threads = options.peers.threads = set_all_threads(options.threads);
    const kernel::ForcedIsa isa(isa_of(options.isa));
    run(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << "projnce-training-bench: " << error.what() << '\n';
    return error.kind() == ErrorKind::kInput ? 2 : 1;
  }
}

}  // namespace
}  // namespace projnce::bench

int main(int argc, char** argv) {
  return projnce::bench::training_bench_main(argc, argv);
}
