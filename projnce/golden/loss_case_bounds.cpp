// Loss cases of the certified bounds on mutual information.
#include <torch/types.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/golden/loss_cases.h"
#include "projnce/information/mi_bounds.h"

namespace projnce::golden {

namespace {

using nlohmann::json;

enum class BoundForm { kPair, kGeneral, kClass };

struct BoundCase {
  BoundForm form = BoundForm::kPair;
  information::BoundOptions options;
  std::vector<double> missing;  // classes without a vector
};

BoundCase bound_case(const LossCase& loss_case) {
  auto params = loss_case.params_with_tau();
  BoundCase result;
  result.options.batches = 1;
  auto& priors = result.options.priors;
  priors.num_classes = take_integer(params, "num_classes", 1, kMaxClasses);
  const bool has_priors = params.has("priors");
  std::vector<double> values;
  TableReader reader(params, "params");
  reader
      .choice("form", result.form,
              {{"pair", BoundForm::kPair},
               {"general", BoundForm::kGeneral},
               {"class", BoundForm::kClass}})
      .field("temperature", result.options.temperature)
      .field("priors", values)
      .field("priors_estimated", priors.estimated)
      .field("missing", result.missing, between(0, static_cast<double>(priors.num_classes - 1)));
  reader.done();
  if (has_priors) priors.values = torch::tensor(values, torch::kFloat64);
  return result;
}

/// Class vectors, with NaN rows for classes without a vector.
torch::Tensor class_vectors_of(const LossCase& loss_case, const BoundCase& bound) {
  const auto vectors = loss_case.matrix("class_vectors");
  for (const double missing : bound.missing) {
    const auto row = static_cast<int64_t>(missing);
    if (static_cast<double>(row) != missing || row >= vectors.size(0)) {
      fail("params.missing has ", missing, ", expected a row index of inputs.class_vectors");
    }
    vectors[row].fill_(std::nan(""));
  }
  return vectors;
}

information::BoundResult evaluate_bound(const LossCase& loss_case, const BoundCase& bound) {
  const auto z = loss_case.matrix("z");
  information::LabeledRows rows{.embeddings = z, .labels = loss_case.integers("labels")};
  if (loss_case.has_input("instance")) rows.instances = loss_case.integers("instance");
  if (bound.form == BoundForm::kPair) return information::pair_bound(rows, bound.options);
  const auto vectors = class_vectors_of(loss_case, bound);
  if (bound.form == BoundForm::kClass)
    return information::class_bound(rows, vectors, bound.options);
  const auto negatives =
      loss_case.has_input("negatives") ? loss_case.matrix("negatives") : torch::Tensor();
  return information::general_bound(rows, vectors, negatives, bound.options);
}

}  // namespace

json evaluate_bounds_case(const LossCase& loss_case) {
  const auto bound = bound_case(loss_case);
  const auto result = evaluate_bound(loss_case, bound);
  return {{"mi_bound", result.value},
          {"mi_bound_normalized", result.normalized},
          {"terms", to_json(result.terms)},
          {"log_ratio", to_json(result.log_ratio)},
          {"mean_ratio", to_json(result.mean_ratio)}};
}

}  // namespace projnce::golden
