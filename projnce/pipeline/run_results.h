#pragma once

#include <nlohmann/json.hpp>

#include "projnce/core/table.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/judge.h"

namespace projnce {

/// What is measured once, when a training is over: accuracy by `final_protocols`, retrieval,
/// information. The keys are those of summary.json.
nlohmann::ordered_json final_results(const JudgedSamples& samples, const EvalOptions& options);

/// Accuracy as summary.json tells it. Where the section [dataset] spoils labels or samples nobody
/// could tell which epoch is the best, so the last one is reported, else the best, as in the paper.
nlohmann::ordered_json reported_accuracy(const Accuracy& last, double best, int64_t best_epoch,
                                         const Table& dataset);

}  // namespace projnce
