#include "projnce/pipeline/loss_case_kinds.h"

#include <array>
#include <string_view>

#include "projnce/core/names.h"
#include "projnce/pipeline/loss_cases.h"

namespace projnce {

namespace {

struct Kind {
  std::string_view name;
  EvaluateLossCase evaluate;
};

constexpr std::array kKinds = {
    // alphabetical
    Kind{"augment_ops", evaluate_augment_case},
    Kind{"bounds", evaluate_bounds_case},
    Kind{"ce", evaluate_ce_case},
    Kind{"infonce_paired", evaluate_infonce_case},
    Kind{"joint", evaluate_joint_case},
    Kind{"label_noise", evaluate_label_noise_case},
    Kind{"mixed_ksg", evaluate_mixed_ksg_case},
    Kind{"nearest_centroid", evaluate_nearest_centroid_case},
    Kind{"ntxent", evaluate_ntxent_case},
    Kind{"projnce", evaluate_projnce_case},
    Kind{"projnce_med", evaluate_projnce_med_case},
    Kind{"projnce_mlp", evaluate_projnce_mlp_case},
    Kind{"projnce_perp", evaluate_projnce_perp_case},
    Kind{"rince", evaluate_rince_case},
    Kind{"sce", evaluate_sce_case},
    Kind{"selfp_generic", evaluate_generalized_infonce_case},
    Kind{"supcon", evaluate_supcon_case},
    Kind{"symnce", evaluate_symnce_case},
};

}  // namespace

EvaluateLossCase find_loss_case_kind(const std::string& kind) {
  for (const auto& entry : kKinds) {
    if (entry.name == kind) return entry.evaluate;
  }
  fail_unknown("kind of loss case", kind, loss_case_kinds());
}

std::vector<std::string> loss_case_kinds() {
  std::vector<std::string> names;
  for (const auto& entry : kKinds) names.emplace_back(entry.name);
  return names;
}

nlohmann::json with_loss(nlohmann::json fields, const torch::Tensor& loss,
                         const GradientFields& gradients) {
  fields["loss"] = to_json(loss.detach());
  if (loss.requires_grad()) loss.backward();
  for (const auto& [name, input] : gradients) {
    fields[name] = to_json(input.grad().defined() ? input.grad() : torch::zeros_like(input));
  }
  return fields;
}

}  // namespace projnce
