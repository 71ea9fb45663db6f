#include "projnce/run/train.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "projnce/config/run_config.h"
#include "projnce/core/device.h"
#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/data/run_data_path.h"
#include "projnce/data/training_data.h"
#include "projnce/dataset/labels.h"
#include "projnce/distributed/join_ranks.h"
#include "projnce/inference/array_files.h"
#include "projnce/information/bound_terms.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/run/reproducibility_info.h"
#include "projnce/run/run_plan.h"
#include "projnce/run/start_weights.h"
#include "projnce/run/training_run.h"
#include "projnce/train/autocast.h"

namespace projnce::run {

namespace {

/// Name for the run directory: the dataset, or the folder of the data.
std::string source_name(const dataset::DatasetOptions& dataset) {
  if (dataset.name != "folder") return dataset.name;
  const auto root = std::filesystem::path(dataset.root);
  const auto folder = (root / "").lexically_normal().parent_path().filename().string();
  return folder.empty() || folder == "." || folder == ".." ? dataset.name : folder;
}

/// Run directory chosen before `projnce launch` restarted the ranks; empty if there is none.
std::filesystem::path launched_run(const distributed::RankEnvironment& environment) {
  if (environment.launch_dir.empty()) return {};
  const auto text = io::read_optional_text(environment.launch_dir / "run", io::kMostConfigBytes);
  return text.substr(0, text.find('\n'));
}

std::filesystem::path choose_directory(const config::RunConfig& config,
                                       const distributed::RankEnvironment& environment) {
  const auto name = io::unused_run_path(std::filesystem::path("runs") /
                                        (source_name(config.dataset) + "-" + config.loss.name));
  if (!environment.launch_dir.empty()) {
    io::write_file_atomically(environment.launch_dir / "run", name.string() + "\n");
  }
  return name;
}

train::TrainOptions train_options_in(const Table& settings) {
  const auto found = settings.tables.find("train");
  return found == settings.tables.end() ? train::TrainOptions{}
                                        : read_options<train::TrainOptions>(found->second, "train");
}

/// Timeout of the rendezvous, needed before the ranks can communicate.
std::chrono::milliseconds rank_timeout(const TrainRequest& request, const Table& requested) {
  const io::RunPaths paths{request.out};
  const bool stored = request.resume && std::filesystem::exists(paths.config());
  const auto options =
      stored ? train_options_in(read_toml(paths.config())) : train_options_in(requested);
  const auto seconds = std::chrono::duration<double>(options.rank_timeout);
  return std::chrono::duration_cast<std::chrono::milliseconds>(seconds);
}

distributed::ProcessGroupPtr join_process_group(const TrainRequest& request,
                                                const distributed::RankEnvironment& environment) {
  if (environment.world == 1) return distributed::ProcessGroup::single_process();
  const auto settings = requested_settings(request);
  return distributed::join_ranks(environment,
                                 {.timeout = rank_timeout(request, settings),
                                  .must_agree = {{"program", program_fingerprint()},
                                                 {"configuration", to_toml(settings)},
                                                 {"output directory", request.out.string()},
                                                 {"mode", request.resume ? "resume" : "start"}}});
}

/// Sets the number of threads. Ranks on the same host share its cores.
int choose_threads(int64_t requested, const distributed::RankEnvironment& environment) {
  const int share = std::max(1, available_cores() / environment.local_world);
  const bool oversubscribed = environment.local_world > 1 && requested > share;
  return set_threads(requested == 0 || oversubscribed ? share : static_cast<int>(requested));
}

/// Device of this rank, connected with those of the other ranks.
torch::Device choose_device(const train::TrainOptions& options,
                            const distributed::RankEnvironment& environment,
                            distributed::ProcessGroup& ranks) {
  const auto device =
      resolve_device(options.device, "train.device",
                     {.rank = environment.local_rank, .ranks = environment.local_world});
  train::check_precision(device, options.precision);
  ranks.use_device(device);
  if (options.tf32) {
    at::globalContext().setFloat32MatmulPrecision("high");
    at::globalContext().setAllowTF32CuDNN(true);
  }
  return device;
}

void check_rank_settings(const train::TrainOptions& options,
                         const distributed::ProcessGroup& ranks) {
  if (ranks.size() > 1 && options.sync_batch_norm && options.micro_batch > 0) {
    fail(Hint{"set train.sync_batch_norm = false: micro-batches are normalized separately anyway"},
         "[train] micro_batch = ", options.micro_batch,
         " cannot share batch statistics over ranks");
  }
}

/// Throws if both the validation split and the test split would choose the epoch.
void check_epoch_rule(const train::TrainOptions& train, const config::EvalOptions& eval) {
  if (train.validation > 0 && eval.report == config::EvalReport::kBestTestEpoch) {
    fail(Hint{"set train.validation = 0 or eval.report = 'delivered'"},
         "[eval] report = 'best-test-epoch' chooses the epoch by test accuracy, [train] validation "
         "= ",
         train.validation, " by validation accuracy; expected one of the two");
  }
}

void check_has_labels(const dataset::DatasetSplit& data, const loss::LossOptions& loss) {
  if (data.unlabeled && loss.name != "simclr") {
    fail(Hint{"set loss.name = 'simclr', or train on the labeled split"},
         "the training split has no labels, required by every loss except simclr");
  }
}

TrainOutcome finished_outcome(const std::filesystem::path& run) {
  const auto paths = io::find_run(run);
  return {.run = run,
          .finished = true,
          .report = std::filesystem::exists(paths.report()) ? paths.report() : ""};
}

/// Fills in the run directory after a restart by `projnce launch`.
TrainRequest with_launched_run(TrainRequest request,
                               const distributed::RankEnvironment& environment) {
  if (!request.out.empty() || !request.resume) return request;
  if (environment.launch_dir.empty()) {
    fail(Hint{"for example: --resume --out runs/photos"}, "--resume needs --out RUN");
  }
  request.out = launched_run(environment);
  request.resume = !request.out.empty();  // false: the ranks died before the run was created
  return request;
}

/// Samples that the initial weights were trained on. Empty except on rank 0.
InitialSamples find_initial_samples(const RunPlan& plan, const std::filesystem::path& init,
                                    const distributed::ProcessGroup& ranks) {
  if (!ranks.is_rank_zero()) return {};
  return plan.kind == RunPlan::Kind::kResume
             ? read_resumed_samples(io::RunPaths{plan.directory}, init)
             : read_initial_samples(init);
}

/// Configuration before the data is opened. Defaults that depend on the data, possibly including
/// the encoder, are still missing.
config::RunConfig early_config(const RunPlan& plan, const config::RunRequest& request) {
  const bool data_chooses =
      plan.kind != RunPlan::Kind::kResume && config::data_chooses_encoder(request, plan.settings);
  auto config =
      config::parse_run_config(plan.settings, data_chooses ? config::EncoderChoice::kData
                                                           : config::EncoderChoice::kSettings);
  config.dataset.layout_chosen = !request.layout.empty();
  return config;
}

/// Complete configuration, including what depends on the data and the machine.
config::RunConfig complete_config(const RunPlan& plan, const config::RunRequest& request,
                                  config::RunConfig config, const data::TrainingData& data,
                                  int threads) {
  if (plan.kind != RunPlan::Kind::kResume && request.config.empty()) {
    auto settings = plan.settings;
    config::apply_auto_config(settings, data.train().kind(), data.train().size());
    config = config::parse_run_config(settings);
  }
  config.input = config::input_settings(data.input);
  config.run.threads = threads;
  return config;
}

/// Smoothed class frequencies of the training labels, [C]; undefined for data without labels.
torch::Tensor training_priors(const data::TrainingData& data) {
  if (data.dataset.unlabeled || data.train_classes() == 0) return {};
  const auto labels = torch::tensor(dataset::labels_of(data.train()));
  return information::smoothed_priors(labels, data.train_classes()).values;
}

/// Adds the location of the data and its split to `record`.
void record_data(RunMetadata& record, const std::filesystem::path& directory,
                 const dataset::DatasetOptions& options, const dataset::OpenedDataset& data,
                 const InitialSamples& initial, const Logger& logger) {
  auto split = *data.split;
  split.seen = initial.seen;
  auto described = data::describe_data(directory, options, data);
  const auto seen = check_seen_samples(initial, split, logger);
  if (!initial.run.empty()) {
    described.init = data::InitialRun{.run = initial.run};
    if (!initial.unknown) described.init->test_samples_seen = seen;
  }
  record.data = std::move(described);
  record.split = std::make_shared<const dataset::StoredSplit>(std::move(split));
}

}  // namespace

TrainOutcome train(const TrainRequest& original_request, const TrainEnvironment& environment) {
  const auto rank_environment = distributed::read_rank_environment();
  const auto request = with_launched_run(original_request, rank_environment);
  if (rank_environment.rank > 0) log_as_rank(environment.logger, rank_environment.rank);
  const auto ranks = join_process_group(request, rank_environment);
  auto plan = plan_run_collective(request, environment.logger, *ranks);
  if (plan.kind == RunPlan::Kind::kFinished) {
    environment.logger->info("{} is already finished", request.out.string());
    return ranks->is_rank_zero() ? finished_outcome(request.out)
                                 : TrainOutcome{.writes = false, .finished = true};
  }
  const bool resumes = plan.kind == RunPlan::Kind::kResume;
  const auto early = early_config(plan, request.run);
  check_rank_settings(early.train, *ranks);
  check_epoch_rule(early.train, early.eval);
  const auto device = choose_device(early.train, rank_environment, *ranks);
  // Read before the data, so that a wrong file is reported immediately.
  auto weights = ranks->is_rank_zero() && !plan.checkpoint ? read_start_weights(early.train.init)
                                                           : std::nullopt;
  const int threads = choose_threads(early.run.threads, rank_environment);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);

  const auto initial = find_initial_samples(plan, early.train.init, *ranks);
  auto context = environment.data;
  context.trained_on = share_trained_on(initial, *ranks);
  context.record_split = ranks->is_rank_zero();
  if (resumes && request.run.data.empty()) {
    context.root = data::locate_data(io::RunPaths{plan.directory}, early.dataset);
  }
  const auto data = data::open_training_data(early, threads, context);
  const auto config = complete_config(plan, request.run, early, data, threads);
  check_has_labels(data.dataset, config.loss);

  const auto seed = static_cast<uint64_t>(config.run.seed);
  torch::manual_seed(seed);
  const auto model = encoder::make_model(config.encoder, data.input.shape());
  const auto loss = loss::make_loss(config.loss,
                                    {.num_classes = data.train_classes(),
                                     .embedding_dim = model->embedding_dim(),
                                     .feature_dim = model->feature_dim(),
                                     .class_priors = training_priors(data)},
                                    inference::read_matrix);
  if (weights) start_from(*std::exchange(weights, {}), *model, *loss, environment.logger);
  model->to(device);
  loss->to(device);
  train::seed_training(seed, *ranks);
  if (plan.directory.empty() && ranks->is_rank_zero())
    plan.directory = choose_directory(config, rank_environment);
  RunMetadata record{.command = request.command, .live = request.live};
  if (ranks->is_rank_zero())
    record_data(record, plan.directory, config.dataset, data.dataset, initial, environment.logger);
  TrainingRun run({config, data, model, loss, ranks, device}, environment, std::move(record));

  if (resumes) {
    run.resume(io::RunPaths{plan.directory}, plan.checkpoint, request.force);
  } else {
    if (ranks->is_rank_zero()) {
      io::check_new_run(plan.directory);
      plan.lock = std::make_shared<io::FileLock>(io::make_run(plan.directory).lock());
    }
    run.start(io::RunPaths{plan.directory});
  }
  auto outcome = run.finish();
  outcome.writes = ranks->is_rank_zero();
  if (outcome.finished && outcome.writes) outcome.report = run.write_report();
  return outcome;
}

}  // namespace projnce::run
