// Class vectors: losses with one vector per class, and the two most expensive projections.
#include <torch/types.h>

#include "bench/compare/cases.h"
#include "bench/compare/gradient_run.h"
#include "bench/compare/plain_forms.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"

namespace projnce::bench {

namespace {

constexpr double kClassTemperature = 0.07;
constexpr double kBandwidth = 0.9;

using Contestants = std::vector<Contestant>;

/// Our implementation and the plain form: functions of unit rows [N, D] and further leaves, with a
/// scalar result.
Contestants against_plain(const Case& task, const LabeledRows& data, const std::string& plain_name,
                          const std::function<torch::Tensor(const torch::Tensor&)>& ours,
                          const std::function<torch::Tensor(const torch::Tensor&)>& plain,
                          const std::vector<torch::Tensor>& parameters = {}) {
  auto leaves = parameters;
  leaves.push_back(data.x);
  return {gradient_contestant("ours", task.name, leaves, [=] { return ours(unit(data.x)); }),
          gradient_contestant(plain_name, task.name, leaves, [=] { return plain(unit(data.x)); })};
}

Contestants perp_contestants(const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  const auto hard = torch::one_hot(data.labels, task.classes).to(torch::kFloat32);
  const auto q = (4 * hard + torch::randn({task.rows, task.classes})).softmax(1);  // [N, C]
  const auto ours = [=](const torch::Tensor& z) {
    auto batch = loss::make_batch(z, data.labels);
    batch.candidate_soft_labels = q;
    return loss::projnce_perp(batch, {.temperature = kClassTemperature,
                                      .perp = {.soft_source = projection::SoftSource::kGiven}})
        .loss;
  };
  const auto plain = [=](const torch::Tensor& z) {
    const auto g = q.t().mm(z) / q.sum(0).unsqueeze(1);
    return plain_class_contrast(z, data.labels, g, kClassTemperature);
  };
  return against_plain(task, data, "N x N form", ours, plain);
}

Contestants med_contestants(const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  const auto ours = [=](const torch::Tensor& z) {
    return loss::projnce_med(loss::make_batch(z, data.labels), {.temperature = kClassTemperature})
        .loss;
  };
  const auto plain = [=](const torch::Tensor& z) {
    const auto g = plain_medians(z, data.labels, task.classes);
    return plain_class_contrast(z, data.labels, g, kClassTemperature);
  };
  return against_plain(task, data, "N x N form", ours, plain);
}

Contestants mlp_contestants(const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  const auto matrix = torch::randn({task.classes, task.dims}).requires_grad_(true);
  const auto ours = [=](const torch::Tensor& z) {
    return loss::projnce_mlp(loss::make_batch(z, data.labels), matrix,
                             {.temperature = kClassTemperature})
        .loss;
  };
  const auto plain = [=](const torch::Tensor& z) {
    return plain_class_contrast(z, data.labels, unit(matrix), kClassTemperature);
  };
  return against_plain(task, data, "N x N form", ours, plain, {matrix});
}

/// Whether soft labels are constants or have a gradient.
enum class SoftLabels { kValue, kGradient };

/// Labels are shuffled: neighbors of a single class would give hard labels without a gradient.
Contestants nadaraya_watson_contestants(const Case& task, double spread, SoftLabels use) {
  auto data = make_labeled_rows(task.rows, task.dims, task.classes, spread);
  data.labels = data.labels.index_select(0, torch::randperm(task.rows));
  const auto weights = torch::randn({task.rows, task.classes});  // a gradient for every entry
  const auto ours = [=](const torch::Tensor& z) {
    const auto q = projection::nadaraya_watson(z, projection::group_by_class(data.labels),
                                               {.bandwidth = kBandwidth});  // [N, C]
    return (q * weights).square().sum();
  };
  const auto plain = [=](const torch::Tensor& z) {
    const auto q = plain_nadaraya_watson(z, data.labels, task.classes, kBandwidth);
    return (q * weights).square().sum();
  };
  if (use == SoftLabels::kGradient) return against_plain(task, data, "cdist form", ours, plain);
  const auto value_of = [&](const std::string& name, auto form) {
    return Contestant{.name = name, .computes = task.name, .run = [=, z = unit(data.x).detach()] {
                        return timed([&] { return form(z).template item<double>(); });
                      }};
  };
  return {value_of("ours", ours), value_of("cdist form", plain)};
}

/// Uses unnormalized rows, because a projection does not normalize.
Contestants median_contestants(const Case& task) {
  const auto data = make_labeled_rows(task.rows, task.dims, task.classes);
  const auto ours = [=] {
    const projection::CandidateRows candidates = {.rows = data.x,
                                                  .groups = projection::group_by_class(data.labels),
                                                  .num_anchors = task.rows};
    return projection::project_medians(candidates, {}).vectors.square().sum();
  };
  const auto plain = [=] {
    return plain_medians(data.x, data.labels, task.classes).square().sum();
  };
  return {gradient_contestant("ours", task.name, {data.x}, ours),
          gradient_contestant("at::median by class", task.name, {data.x}, plain)};
}

/// Cases with 10 and with 100 classes.
void add_both(std::vector<Case>& cases, Arena& arena, const std::string& name,
              Contestants (*make)(const Case&)) {
  for (const auto rows : arena.sizes({8192})) {
    for (const int64_t classes : {10, 100}) {
      Case task = {.name = name, .rows = rows, .classes = classes};
      task.contestants = [task, make] { return make(task); };
      cases.push_back(task);
    }
  }
}

}  // namespace

std::vector<Case> class_vector_cases(Arena& arena) {
  std::vector<Case> cases;
  add_both(cases, arena, "projnce-perp", perp_contestants);
  add_both(cases, arena, "projnce-med", med_contestants);
  add_both(cases, arena, "projnce-mlp", mlp_contestants);
  return cases;
}

std::vector<Case> median_cases(Arena& arena) {
  std::vector<Case> cases;
  add_both(cases, arena, "medians", median_contestants);
  return cases;
}

/// Scattered rows, as early in training, where a row has no neighbors, and tight clusters, where a
/// tenth of all rows are neighbors; each with and without gradient.
std::vector<Case> nadaraya_watson_cases(Arena& arena) {
  constexpr double kFar = 2;
  constexpr double kNear = 0.057;  // l1 distance 0.7 within a cluster
  std::vector<Case> cases;
  for (const auto rows : arena.sizes({2048})) {
    for (const double spread : {kFar, kNear}) {
      for (const auto use : {SoftLabels::kValue, SoftLabels::kGradient}) {
        Case task = {.name = "nadaraya-watson", .rows = rows, .classes = 10};
        task.note = spread == kFar ? "l1, no neighbors" : "l1, a tenth are neighbors";
        task.note += use == SoftLabels::kValue ? ", value only" : ", with gradient";
        task.contestants = [=] { return nadaraya_watson_contestants(task, spread, use); };
        cases.push_back(task);
      }
    }
  }
  return cases;
}

}  // namespace projnce::bench
