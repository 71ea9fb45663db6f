#pragma once
// Results of this module as JSON, for the commands' --json and the files of a run.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/eval/information_bounds.h"
#include "projnce/inference/audit.h"
#include "projnce/inference/evaluate.h"
#include "projnce/inference/information_report.h"
#include "projnce/inference/predict.h"
#include "projnce/inference/protocol_result.h"

namespace projnce::inference {

/// Top-1 accuracy with its interval, top-5 accuracy, and the calibration error if there is one.
nlohmann::ordered_json brief_json(const ProtocolResult& result);

/// Same as brief_json, with samples, accuracy and interval per class, and the confusion matrix.
nlohmann::ordered_json full_json(const ProtocolResult& result,
                                 const std::vector<std::string>& names);

/// Returns {queries, recall_at_1, ..., r_precision, map_at_r, nmi}, or {queries, reason}.
nlohmann::ordered_json retrieval_json(const RetrievalReport& report);

/// Returns the bounds with the keys of metrics.jsonl: `mi_bound`, `mi_bound_normalized`,
/// `mi_bound_class`, `mi_bound_class_fitted`, each with its standard error `_se` (null if unknown),
/// `temperature`, `tau_fit`, `rows` and `entropy`. Forms that do not apply are absent.
nlohmann::ordered_json bounds_json(const eval::InformationBounds& bounds);

/// Returns the entry "information" of summary.json. `mixed_ksg`, `interval` and `share` (of the
/// label entropy) are null without an estimate, `withheld` is null with one.
nlohmann::ordered_json information_json(const InformationReport& report);

/// Output of `audit --json`; the HTML report stores most of it.
nlohmann::ordered_json audit_json(const AuditReport& report);

/// Output of `predict --json`.
nlohmann::ordered_json predictions_json(const Predictions& predictions);

}  // namespace projnce::inference
