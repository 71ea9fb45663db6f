#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/core/logging.h"
#include "projnce/core/table.h"
#include "projnce/distributed/process_group.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/run/train.h"

namespace projnce::run {

/// What a training request does, given the contents of the run directory.
struct RunPlan {
  enum class Kind { kStart, kResume, kFinished };
  Kind kind = Kind::kStart;
  Table settings;                   ///< as known before the data is opened
  std::filesystem::path directory;  ///< empty: chosen later
  // Only set on rank 0.
  std::shared_ptr<io::FileLock> lock = {};  ///< of an existing run
  std::optional<checkpoint::Checkpoint> checkpoint = {};
};

/// Plans `request` in one process. Logs a warning for each corrupt checkpoint that it skips. Throws
/// if the settings of an existing run have changed, unless `request.force`.
RunPlan plan_run(const TrainRequest& request, const Logger& logger);

/// Plans on rank 0 and broadcasts the plan. Collective.
RunPlan plan_run_collective(const TrainRequest& request, const Logger& logger,
                            distributed::ProcessGroup& ranks);

/// Settings given by the request itself; empty if it only resumes. If not null, `deprecations`
/// receives a message for each deprecated name.
Table requested_settings(const TrainRequest& request,
                         std::vector<std::string>* deprecations = nullptr);

}  // namespace projnce::run
