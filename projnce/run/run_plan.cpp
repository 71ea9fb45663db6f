#include "projnce/run/run_plan.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "projnce/config/run_config.h"
#include "projnce/config/run_request.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/wrappers/checked_dataset.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/run/reproducibility_info.h"

namespace projnce::run {

namespace {

bool names_data(const TrainRequest& request) {
  return !request.run.config.empty() || !request.run.data.empty();
}

std::optional<checkpoint::Checkpoint> newest_checkpoint(const io::RunPaths& paths,
                                                        const Logger& logger) {
  auto newest = checkpoint::CheckpointDir(paths.checkpoints()).newest_valid();
  for (const auto& corrupt : newest.corrupt) {
    logger->warn("skipped a corrupt checkpoint: {}", corrupt.reason);
  }
  return std::move(newest.checkpoint);
}

/// Settings stored with the run.
Table stored_settings(const io::RunPaths& paths,
                      const std::optional<checkpoint::Checkpoint>& checkpoint) {
  if (checkpoint) {
    const auto found = checkpoint->state.metadata.find("config");
    if (found != checkpoint->state.metadata.end()) {
      auto settings = parse_toml(found->second, checkpoint->path.string());
      config::complete_stored_settings(settings);
      return settings;
    }
  }
  return config::read_stored_settings(paths.config());
}

/// Settings that the run was trained with so far.
Table trained_settings(const io::RunPaths& paths,
                       const std::optional<checkpoint::Checkpoint>& checkpoint) {
  auto settings = stored_settings(paths, checkpoint);
  config::complete_earlier_rule(settings);
  return settings;
}

Table request_settings(const TrainRequest& request, const Logger& logger) {
  std::vector<std::string> deprecations;
  auto settings = requested_settings(request, &deprecations);
  for (const auto& message : deprecations) logger->warn("{}", message);
  return settings;
}

RunPlan plan_start(const TrainRequest& request, const Logger& logger) {
  if (!request.out.empty()) io::check_new_run(request.out);
  return {.settings = request_settings(request, logger), .directory = request.out};
}

RunPlan plan_resume(const TrainRequest& request, const Logger& logger) {
  const auto paths = io::find_run(request.out);
  RunPlan plan{.kind = RunPlan::Kind::kResume, .settings = {}, .directory = request.out};
  plan.lock = std::make_shared<io::FileLock>(paths.lock());
  plan.checkpoint = newest_checkpoint(paths, logger);
  const auto before = trained_settings(paths, plan.checkpoint);
  plan.settings = config::read_stored_settings(paths.config());
  overlay(plan.settings, request_settings(request, logger));
  const auto changes = setting_changes(before, plan.settings);
  if (!changes.empty() && !request.force) {
    fail(Hint{"use --force to resume with the changed settings"}, request.out.string(),
         " was trained with different settings: ", changes);
  }
  if (!changes.empty()) logger->warn("resuming with changed settings: {}", changes);
  const bool finished = std::filesystem::exists(paths.summary()) && changes.empty();
  if (finished) {
    plan.kind = RunPlan::Kind::kFinished;
    io::remove_leftovers(paths);  // may have been killed while writing its report
  }
  return plan;
}

}  // namespace

Table requested_settings(const TrainRequest& request, std::vector<std::string>* deprecations) {
  Table settings;
  if (names_data(request) || !request.resume) {
    settings = config::requested_settings(request.run, deprecations);
  } else {
    for (const auto& setting : request.run.settings) apply_setting(settings, setting);
  }
  if (!request.run.init.empty()) {
    settings.tables["train"].values["init"] = Value{request.run.init.string(), "--init"};
  }
  if (!request.max_corrupt.empty()) {
    dataset::parse_corrupt_limit(request.max_corrupt, "--max-corrupt");
    settings.tables["dataset"].values["max_corrupt"] = Value{request.max_corrupt, "--max-corrupt"};
  }
  if (request.strict) settings.tables["dataset"].values["strict"] = Value{true, "--strict"};
  return settings;
}

RunPlan plan_run(const TrainRequest& request, const Logger& logger) {
  if (!request.resume) return plan_start(request, logger);
  const bool exists = std::filesystem::exists(io::RunPaths{request.out}.config());
  if (exists || !names_data(request)) return plan_resume(request, logger);
  logger->info("no run in {} yet: starting a new one", request.out.string());
  return plan_start(request, logger);
}

RunPlan plan_run_collective(const TrainRequest& request, const Logger& logger,
                            distributed::ProcessGroup& ranks) {
  if (ranks.size() == 1) return plan_run(request, logger);
  RunPlan plan;
  if (ranks.is_rank_zero()) plan = plan_run(request, logger);
  const nlohmann::json local = {{"kind", static_cast<int>(plan.kind)},
                                {"config", to_toml(plan.settings)},
                                {"directory", plan.directory.string()}};
  const auto shared = parse_json(ranks.broadcast_text(local.dump()), "the plan of rank 0");
  if (ranks.is_rank_zero()) return plan;
  plan.kind = static_cast<RunPlan::Kind>(shared.at("kind").get<int>());
  plan.settings = parse_toml(shared.at("config").get<std::string>(), "configuration of rank 0");
  plan.directory = shared.at("directory").get<std::string>();
  return plan;
}

}  // namespace projnce::run
