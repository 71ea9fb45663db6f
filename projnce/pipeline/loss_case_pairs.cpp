// Loss cases of the losses that compare rows with rows.
#include "projnce/core/table_reader.h"
#include "projnce/information/mixed_ksg.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/option_readers.h"
#include "projnce/loss/simclr.h"
#include "projnce/pipeline/loss_case_kinds.h"

namespace projnce {

namespace {

using nlohmann::json;

template <class Options>
Options options_of(const LossCase& loss_case) {
  Options options;
  auto table = loss_case.params_with_tau();
  read_options(table, options);
  return options;
}

/// The rows with their labels, and with their instances where the case has them.
ContrastiveBatch batch_of(const LossCase& loss_case, const torch::Tensor& z) {
  const auto labels = loss_case.integers("labels", z);
  if (!loss_case.has_input("instance")) return make_batch(z, labels);
  return make_batch(z, labels, loss_case.integers("instance", z));
}

/// For losses that group by instance: the labels play no role.
ContrastiveBatch instance_batch(const LossCase& loss_case, const torch::Tensor& z) {
  const auto instances = loss_case.integers("instance", z);
  return make_batch(z, instances, instances);
}

struct JointParams {
  double temperature = 0;
  double theta = 0;
  std::string sup;
  double beta = 0;
  ProjncePreset preset = ProjncePreset::kLoo;
  bool normalize_g = false;
};

JointParams joint_params(const LossCase& loss_case) {
  auto table = loss_case.params_with_tau();
  JointParams params;
  TableReader(table, "params")
      .field("temperature", params.temperature, above(0))
      .field("theta", params.theta, between(0, 1))
      .choice("sup", params.sup,
              {{"supcon", std::string("supcon")},
               {"projnce", std::string("projnce")},
               {"projnce_mlp", std::string("projnce_mlp")}})
      .field("beta", params.beta)
      .choice("preset", params.preset,
              {{"loo", ProjncePreset::kLoo},
               {"paper", ProjncePreset::kPaper},
               {"allpairs", ProjncePreset::kAllPairs}})
      .field("normalize_g", params.normalize_g)
      .done();
  return params;
}

LossValue supervised_part(const LossCase& loss_case, const ContrastiveBatch& batch,
                          const JointParams& params) {
  if (params.sup == "projnce") {
    auto options = projnce_preset(params.preset);
    options.temperature = params.temperature;
    options.beta = params.beta;
    return projnce(batch, options);
  }
  if (params.sup == "projnce_mlp") {
    return projnce_mlp(batch, loss_case.matrix("W"),
                       {.temperature = params.temperature, .normalize_g = params.normalize_g});
  }
  return supcon(batch, {.temperature = params.temperature});
}

}  // namespace

json evaluate_infonce_case(const LossCase& loss_case) {
  const auto options = options_of<InfonceOptions>(loss_case);
  const auto a = loss_case.matrix("a").requires_grad_();
  const auto b = loss_case.matrix_like("b", a).requires_grad_();
  return with_loss({}, infonce(a, b, options).loss, {{"grad_a", a}, {"grad_b", b}});
}

json evaluate_joint_case(const LossCase& loss_case) {
  const auto params = joint_params(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  const auto batch = batch_of(loss_case, z);
  const auto sup = supervised_part(loss_case, batch, params);
  const auto self = simclr(batch, {.temperature = params.temperature});
  const auto value = joint(sup, self, params.theta);
  return with_loss({{"loss_sup", to_json(sup.loss)}, {"loss_self", to_json(self.loss)}}, value.loss,
                   {{"grad_z", z}});
}

json evaluate_ntxent_case(const LossCase& loss_case) {
  const auto options = options_of<SimclrOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, simclr(instance_batch(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_rince_case(const LossCase& loss_case) {
  const auto options = options_of<RinceOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  const bool supervised = loss_case.has_input("labels");
  const auto value = supervised ? rince(batch_of(loss_case, z), options)
                                : rince(instance_batch(loss_case, z), options, GroupBy::kInstance);
  return with_loss({}, value.loss, {{"grad_z", z}});
}

json evaluate_supcon_case(const LossCase& loss_case) {
  const auto options = options_of<SupConOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, supcon(batch_of(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_symnce_case(const LossCase& loss_case) {
  const auto options = options_of<SymnceOptions>(loss_case);
  const auto z = loss_case.matrix("z").requires_grad_();
  return with_loss({}, symnce(batch_of(loss_case, z), options).loss, {{"grad_z", z}});
}

json evaluate_mixed_ksg_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto k = take_integer(params, "k", 1, std::numeric_limits<int64_t>::max());
  TableReader(params, "params").done();
  // The estimator counts ties, so its input stays in double precision whatever the losses use.
  return {{"mi", mixed_ksg(loss_case.matrix_or_column("x", torch::kFloat64),
                           loss_case.matrix_or_column("y", torch::kFloat64), k)}};
}

}  // namespace projnce
