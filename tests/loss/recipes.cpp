#include "tests/loss/recipes.h"

#include "projnce/core/error.h"
#include "projnce/loss/ce.h"
#include "projnce/loss/infonce.h"
#include "projnce/loss/joint.h"
#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_med.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/projnce_perp.h"
#include "projnce/loss/rince.h"
#include "projnce/loss/sce.h"
#include "projnce/loss/selfp.h"
#include "projnce/loss/simclr.h"
#include "projnce/loss/symnce.h"
#include "projnce/projection/fixed.h"
#include "projnce/projection/sample.h"
#include "tests/support/batches.h"

namespace projnce::testing {

namespace {

constexpr double kTemperature = 0.4;
constexpr int64_t kDim = 4;

using Recipes = std::vector<Recipe>;

void add_supcon(Recipes& out) {
  const auto add = [&out](const std::string& name, SupConOptions options, bool differentiable) {
    options.temperature = kTemperature;
    out.push_back({"supcon_" + name,
                   [options](const ContrastiveBatch& b) { return supcon(b, options); },
                   differentiable});
  };
  add("out", {}, true);
  add("in", {.variant = SupConVariant::kIn}, true);
  add("self_pos", {.include_self_pos = true}, true);
  add("self_denom", {.include_self_denom = true}, true);
  add("in_self",
      {.variant = SupConVariant::kIn, .include_self_pos = true, .include_self_denom = true}, true);
  add("skip", {.empty_pos = EmptyPositives::kSkip}, true);
  add("base", {.base_tau = 0.07}, true);
  add("detach", {.detach_pos = true}, false);
  add("in_detach", {.variant = SupConVariant::kIn, .detach_pos = true}, false);
  out.push_back({"simclr", [](const ContrastiveBatch& b) {
                   return simclr(b, {.temperature = kTemperature});
                 }});
  for (const bool symmetric : {false, true}) {
    Recipe recipe{
        symmetric ? "infonce_symmetric" : "infonce", [symmetric](const ContrastiveBatch& b) {
          return InfonceLoss({.temperature = kTemperature, .symmetric = symmetric}).evaluate(b);
        }};
    recipe.any_rows = false;
    out.push_back(recipe);
  }
}

void add_projnce(Recipes& out) {
  const auto add = [&out](const std::string& name, ProjnceOptions options, bool differentiable) {
    options.temperature = kTemperature;
    out.push_back({"projnce_" + name,
                   [options](const ContrastiveBatch& b) { return projnce(b, options); },
                   differentiable});
  };
  add("loo", projnce_preset(ProjncePreset::kLoo), true);
  add("paper", projnce_preset(ProjncePreset::kPaper), true);
  add("allpairs", projnce_preset(ProjncePreset::kAllPairs), true);
  add("beta0", {.beta = 0}, true);
  add("beta5", {.beta = 5}, true);
  add("skip", {.empty_pos = EmptyPositives::kSkip}, true);
  add("class_full", {.r_exclude = Leave::kOwnClass, .r_centroid = CentroidRows::kAll}, true);
  add("none_loo_i", {.r_exclude = Leave::kNothing}, true);
  add("loo_k", {.r_centroid = CentroidRows::kNotRow}, true);
  add("none_loo_k", {.r_exclude = Leave::kNothing, .r_centroid = CentroidRows::kNotRow}, true);
  add("detach", {.detach_centroid = true}, false);
  add("loo_k_detach", {.r_centroid = CentroidRows::kNotRow, .detach_centroid = true}, false);
}

void add_perp(Recipes& out) {
  const auto add = [&out](const std::string& name, ProjncePerpOptions options,
                          bool differentiable = true, bool rotates = true) {
    options.temperature = kTemperature;
    out.push_back({"projnce_perp_" + name,
                   [options](const ContrastiveBatch& b) { return projnce_perp(b, options); },
                   differentiable, options.perp.soft_source != SoftSource::kGiven, rotates});
  };
  const auto nw = [](SmoothingKernel kernel, Metric metric, double bandwidth,
                     DistanceScale scale = DistanceScale::kNone, bool exclude_self = false) {
    return PerpOptions{.nw = {.kernel = kernel,
                              .metric = metric,
                              .bandwidth = bandwidth,
                              .distance_scale = scale,
                              .exclude_self = exclude_self},
                       .detach_q = false};
  };
  add("given", {.perp = {.soft_source = SoftSource::kGiven}});
  add("l1", {.perp = nw(SmoothingKernel::kEpanechnikov, Metric::kL1, 2.5)}, true, false);
  add("l1_unit", {.perp = nw(SmoothingKernel::kTriangular, Metric::kL1, 0.6, DistanceScale::kUnit)},
      true, false);
  add("l2", {.perp = nw(SmoothingKernel::kMixed, Metric::kL2, 1.3)});
  add("l2_not_self",
      {.perp = nw(SmoothingKernel::kTriangular, Metric::kL2, 1.1, DistanceScale::kNone, true)});
  add("cosine", {.perp = nw(SmoothingKernel::kExponential, Metric::kCosine, 0.6)});
  add("exclude_self",
      {.perp = nw(SmoothingKernel::kEpanechnikov, Metric::kL2, 1.2), .denominator = Leave::kSelf});
  add("normalized",
      {.perp = nw(SmoothingKernel::kEpanechnikov, Metric::kL2, 1.2), .normalize_g = true});
  add("detach_q", {.perp = {.nw = {.metric = Metric::kL2, .bandwidth = 1.2}}}, false);
  add("detach_g", {.perp = nw(SmoothingKernel::kMixed, Metric::kL2, 1.2), .detach_g = true}, false);
}

void add_med(Recipes& out) {
  const auto add = [&out](const std::string& name, ProjnceMedOptions options, bool rotates) {
    options.temperature = kTemperature;
    out.push_back({"projnce_med_" + name,
                   [options](const ContrastiveBatch& b) { return projnce_med(b, options); },
                   !options.detach_g, true, rotates});
  };
  add("lower", {}, false);
  add("mean", {.median = MedianKind::kMean}, false);
  add("geometric", {.median = MedianKind::kGeometric}, true);
  add("exclude_self", {.denominator = Leave::kSelf}, false);
  add("normalized", {.normalize_g = true}, false);
  add("detach_g", {.detach_g = true}, false);
}

void add_class_matrix(Recipes& out) {
  const auto w = random_unit_rows(5, kDim, 99) * 1.7;
  const auto add = [&](const std::string& name, ProjnceMlpOptions options) {
    options.temperature = kTemperature;
    out.push_back({"projnce_mlp_" + name,
                   [options, w](const ContrastiveBatch& b) { return projnce_mlp(b, w, options); },
                   true, false, false});
  };
  add("unit", {});
  add("raw", {.normalize_g = false});
  add("exclude_self", {.denominator = Leave::kSelf});
  add("uniform", {.class_weight = ClassWeight::kUniform});
  // The embeddings stand for logits of four classes.
  out.push_back({"ce",
                 [](const ContrastiveBatch& b) {
                   return LossValue{cross_entropy(b.anchors, b.anchor_labels, b.reduction), {}};
                 },
                 true, false, false});
  out.push_back(
      {"sce",
       [](const ContrastiveBatch& b) {
         return LossValue{symmetric_cross_entropy(b.anchors, b.anchor_labels, {}, b.reduction), {}};
       },
       true, false, false});
}

void add_robust(Recipes& out) {
  for (const auto denominator : {RinceDenominator::kAll, RinceDenominator::kOnePos}) {
    for (const auto group : {GroupBy::kClass, GroupBy::kInstance}) {
      const RinceOptions options{
          .temperature = kTemperature, .q = 0.5, .lam = 0.1, .denominator = denominator};
      const std::string name = concat("rince", group == GroupBy::kClass ? "" : "_self",
                                      denominator == RinceDenominator::kAll ? "_all" : "_one_pos");
      out.push_back(
          {name, [options, group](const ContrastiveBatch& b) { return rince(b, options, group); }});
    }
  }
  for (const auto& [name, form] : {std::pair("lout", SymnceForm::kLout),
                                   {"lin", SymnceForm::kLin},
                                   {"pairwise", SymnceForm::kPairwise}}) {
    for (const auto empty : {EmptyPositives::kZero, EmptyPositives::kSkip}) {
      const SymnceOptions options{
          .temperature = kTemperature, .beta = 0.6, .form = form, .empty_pos = empty};
      out.push_back({concat("symnce_", name, empty == EmptyPositives::kSkip ? "_skip" : ""),
                     [options](const ContrastiveBatch& b) { return symnce(b, options); }});
    }
  }
  out.push_back({"joint_projnce", [](const ContrastiveBatch& b) {
                   JointLoss loss(
                       std::make_shared<ProjnceLoss>(ProjnceOptions{.temperature = kTemperature}),
                       {.theta = 0.3, .self = {.temperature = kTemperature}});
                   return loss.evaluate(b);
                 }});
}

void add_selfp(Recipes& out) {
  const auto add = [&out](const std::string& name, const ProjectionPtr& pos,
                          const ProjectionPtr& neg, Leave denominator, Leave exclude,
                          bool any_labels = true, bool rotates = true) {
    const SelfpOptions options{
        .temperature = kTemperature, .beta = 2, .denominator = denominator, .r_exclude = exclude};
    out.push_back({"selfp_" + name,
                   [pos, neg, options](const ContrastiveBatch& b) {
                     return SelfpLoss(pos, neg, options).evaluate(b);
                   },
                   true, any_labels, rotates});
  };
  const auto sample = std::make_shared<SampleProjection>();
  const auto centroid = std::make_shared<CentroidProjection>();
  const auto full =
      std::make_shared<CentroidProjection>(CentroidOptions{.rows = CentroidRows::kAll});
  const auto median = std::make_shared<MedianProjection>();
  const auto fixed =
      std::make_shared<FixedProjection>(FixedOptions{.vectors = random_unit_rows(5, kDim, 98)});
  add("centroid_sample", centroid, sample, Leave::kSelf, Leave::kSelf);
  add("centroid_centroid", centroid, centroid, Leave::kNothing, Leave::kSelf);
  add("full_sample", full, sample, Leave::kNothing, Leave::kNothing);
  add("sample_full", sample, full, Leave::kSelf, Leave::kOwnClass);
  add("median_full", median, full, Leave::kNothing, Leave::kSelf, true, false);
  add("fixed_sample", fixed, sample, Leave::kSelf, Leave::kOwnClass, false, false);
}

}  // namespace

std::vector<Recipe> all_recipes() {
  Recipes recipes;
  add_supcon(recipes);
  add_projnce(recipes);
  add_perp(recipes);
  add_med(recipes);
  add_class_matrix(recipes);
  add_robust(recipes);
  add_selfp(recipes);
  return recipes;
}

ContrastiveBatch mixed_batch(uint64_t seed) {
  auto batch =
      self_batch(random_unit_rows(10, kDim, seed), torch::tensor({0, 0, 1, 1, 2, 2, 0, 1, 3, 0}),
                 torch::tensor({0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  batch.candidate_soft_labels = torch::rand({10, 4}, torch::kFloat64);
  return batch;
}

}  // namespace projnce::testing
