#pragma once

#include <filesystem>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/audit/audit.h"
#include "projnce/pipeline/audited_samples.h"

namespace projnce {

struct AuditRunRequest {
  std::filesystem::path run;
  std::filesystem::path data = {};  ///< where its data lies now; empty: where the run says
  std::filesystem::path output;     ///< CSV; empty: suspects.csv in the run
  std::filesystem::path sheet;      ///< .png or .html of the worst; empty: none
  std::filesystem::path features;   ///< .npy of what was judged, labels beside; empty: none
  AuditOptions options;
  OpenContext context;  ///< where datasets are looked for
};

/// An audit and the files that it wrote.
struct FiledAudit {
  AuditReport report;
  std::vector<std::filesystem::path> files;
};

/// Ranks all labeled samples of a run, test part included, by how likely their label is wrong, from
/// the encoder's features. If the run's configuration made labels wrong on purpose, precision and
/// recall are reported too.
FiledAudit audit_run(const AuditRunRequest& request, const Logger& logger);

struct AuditArraysRequest {
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  std::filesystem::path output;  ///< CSV
  AuditOptions options;
};

/// The same of .npy files that any program wrote.
FiledAudit audit_arrays(const AuditArraysRequest& request);

}  // namespace projnce
