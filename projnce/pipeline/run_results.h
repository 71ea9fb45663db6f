#pragma once

#include <nlohmann/json.hpp>

#include "projnce/pipeline/delivery.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/run_evaluation.h"

namespace projnce {

/// What is measured once, of the delivered model: accuracy by its readout and by
/// `final_protocols`, retrieval, information. The keys are those of summary.json.
nlohmann::ordered_json final_results(const Evaluation& evaluation, const EvalOptions& options,
                                     const Delivery& delivery);

}  // namespace projnce
