// Losses over all pairs of rows: SupCon compared with its peers, and the cost of ProjNCE.
#include "bench/compare/cases.h"
#include "bench/compare/gradient_run.h"
#include "bench/compare/plain_forms.h"
#include "projnce/kernel/isa.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/supcon.h"

namespace projnce::bench {

namespace {

constexpr double kPairTemperature = 0.07;

Contestant our_supcon(const std::string& name, const LabeledRows& data) {
  return gradient_contestant(name, "supcon", {data.x}, [data] {
    return loss::SupConLoss({.temperature = kPairTemperature})
        .forward(loss::make_batch(unit(data.x), data.labels));
  });
}

/// LibTorch operations on chunks of rows, as used on a GPU.
Contestant our_chunks(const LabeledRows& data) {
  auto contestant = our_supcon("ours, any device", data);
  contestant.run = [run = std::move(contestant.run)] {
    const loss::ForcedPairEngine chunks(loss::PairEngine::kChunks);
    return run();
  };
  return contestant;
}

/// Variant for older CPUs.
Contestant our_older(const LabeledRows& data, kernel::Isa isa) {
  auto contestant = our_supcon("ours, " + std::string(kernel::isa_name(isa)), data);
  contestant.run = [run = std::move(contestant.run), isa] {
    const kernel::ForcedIsa older(isa);
    return run();
  };
  return contestant;
}

Contestant with_masks(const std::string& computes, const LabeledRows& data,
                      torch::Tensor (*form)(const torch::Tensor&, const torch::Tensor&, double),
                      const std::string& unavailable) {
  auto contestant = gradient_contestant("mask form", computes, {data.x}, [=] {
    return form(unit(data.x), data.labels, kPairTemperature);
  });
  contestant.unavailable = unavailable;
  return contestant;
}

std::vector<Contestant> supcon_contestants(Arena& arena, const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  const auto too_large = arena.too_large(task.rows);
  std::vector<Contestant> contestants = {our_supcon("ours", data), our_chunks(data)};
  for (const auto isa : {kernel::Isa::kPlain, kernel::Isa::kAvx2}) {
    if (isa < kernel::best_isa()) contestants.push_back(our_older(data, isa));
  }
  contestants.push_back(with_masks("supcon", data, plain_supcon, too_large));
  for (const auto* peer : {"SupContrast", "SupContrast, compiled", "pytorch-metric-learning",
                           "pytorch-metric-learning, compiled"}) {
    contestants.push_back(
        too_large.empty()
            ? arena.peer(peer, "supcon", data, {{"temperature", kPairTemperature}})
            : Contestant{.name = peer, .computes = "supcon", .unavailable = too_large});
  }
  return contestants;
}

std::vector<Contestant> projnce_contestants(Arena& arena, const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  auto ours = gradient_contestant("ours, projnce", "projnce", {data.x}, [data] {
    return loss::ProjnceLoss({.temperature = kPairTemperature})
        .forward(loss::make_batch(unit(data.x), data.labels));
  });
  return {our_supcon("ours, supcon", data), std::move(ours),
          with_masks("projnce", data, plain_projnce, arena.too_large(task.rows))};
}

}  // namespace

std::vector<Case> supcon_cases(Arena& arena) {
  std::vector<Case> cases;
  for (const auto rows : arena.sizes({512, 2048, 8192, 16384, 32768})) {
    Case task = {.name = "supcon", .rows = rows, .classes = 10};
    // Similarities and their gradient: products of N x D with D x N.
    task.flops = 4.0 * static_cast<double>(rows * rows * task.dims);
    task.contestants = [&arena, task] { return supcon_contestants(arena, task); };
    cases.push_back(task);
  }
  return cases;
}

std::vector<Case> projnce_cases(Arena& arena) {
  std::vector<Case> cases;
  for (const auto rows : arena.sizes({8192})) {
    for (const int64_t classes : {10, 100}) {
      Case task = {.name = "projnce", .rows = rows, .classes = classes};
      task.contestants = [&arena, task] { return projnce_contestants(arena, task); };
      cases.push_back(task);
    }
  }
  return cases;
}

}  // namespace projnce::bench
