#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "projnce/checkpoint/checkpoints.h"
#include "projnce/core/logging.h"
#include "projnce/core/table.h"
#include "projnce/distributed/process_group.h"
#include "projnce/io/filesystem/file_lock.h"
#include "projnce/run/train.h"

namespace projnce::run {

/// What a training request comes down to, seen what is in the run's directory.
struct RunPlan {
  enum class Kind { kStart, kResume, kFinished };
  Kind kind = Kind::kStart;
  Table settings;                   ///< as far as they are known before the data is opened
  std::filesystem::path directory;  ///< empty: a name of its own is still to be chosen
  // These are rank 0's alone.
  std::shared_ptr<io::FileLock> lock = {};  ///< of a run that exists
  std::optional<checkpoint::Checkpoint> checkpoint = {};
};

/// What one process does about the request. Warns of damaged checkpoints that it passes over.
/// Throws where the run would not go on as it was begun and nobody forced it.
RunPlan plan_run(const TrainRequest& request, const Logger& logger);

/// Rank 0 plans, all ranks follow. A collective.
RunPlan plan_run_together(const TrainRequest& request, const Logger& logger,
                          distributed::ProcessGroup& ranks);

/// Settings as far as the request itself gives them; empty where it only resumes.
/// `deprecations`, unless null, receives a message about each deprecated name.
Table requested_settings(const TrainRequest& request,
                         std::vector<std::string>* deprecations = nullptr);

}  // namespace projnce::run
