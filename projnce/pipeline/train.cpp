#include "projnce/pipeline/train.h"

#include <torch/torch.h>

#include <fstream>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/encoder/registry.h"
#include "projnce/loss/registry.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/training_data.h"
#include "projnce/pipeline/training_run.h"

namespace projnce {

namespace {

/// What a run is named after: the dataset, or the folder with the data.
std::string source_name(const Table& config) {
  const auto name = text_setting(config, "dataset", "name");
  if (name != "folder") return name;
  const auto root = std::filesystem::path(text_setting(config, "dataset", "root"));
  const auto folder = (root / "").lexically_normal().parent_path().filename().string();
  return folder.empty() || folder == "." || folder == ".." ? name : folder;
}

std::filesystem::path choose_directory(const TrainRequest& request, const Table& config) {
  if (!request.out.empty()) return request.out;
  return free_run_name(std::filesystem::path("runs") /
                       (source_name(config) + "-" + text_setting(config, "loss", "name")));
}

Table read_config(const TrainRequest& request) {
  if (request.resume) {
    auto config = read_toml(find_run(request.out).config());
    read_run_settings(config);
    return config;
  }
  if (!request.out.empty()) check_run_can_be_made(request.out);
  auto config = read_run_config(request.run);
  if (request.strict) config.tables["dataset"].values["strict"] = Value{true, "--strict"};
  return config;
}

void check_labels_suffice(const DatasetSplit& data, const Table& config) {
  const auto& loss = config.tables.at("loss").values;
  const auto name = loss.find("name");
  const bool simclr = name != loss.end() && std::get<std::string>(name->second.data) == "simclr";
  if (data.unlabelled && !simclr) {
    fail(Hint{"set loss.name = 'simclr', or train on the labelled part"},
         "the training part has no labels, which every loss but simclr needs");
  }
}

bool is_finished(const std::filesystem::path& run) {
  return std::filesystem::exists(find_run(run).summary());
}

TrainOutcome finished_outcome(const std::filesystem::path& run) {
  std::ifstream file(find_run(run).summary());
  return {.run = run, .finished = true, .summary = nlohmann::ordered_json::parse(file)};
}

}  // namespace

TrainOutcome train(const TrainRequest& request, const TrainEnvironment& environment) {
  if (request.resume && is_finished(request.out)) {
    environment.logger->info("{} is finished already", request.out.string());
    return finished_outcome(request.out);
  }
  auto config = read_config(request);
  const auto settings = read_run_settings(config);
  const int threads = set_threads(static_cast<int>(settings.threads));
  config.values["threads"] = Value{int64_t{threads}, {}};

  const auto data = open_training_data(config, settings, threads, environment.data);
  if (!request.resume && request.run.config.empty())
    apply_quick_defaults(config, data.train().kind(), data.train().size());

  check_labels_suffice(data.dataset, config);

  torch::manual_seed(static_cast<uint64_t>(settings.seed));
  const auto model = make_model(config.tables["encoder"], data.input.shape());
  const auto loss = make_loss(config.tables["loss"],
                              {.num_classes = data.train_classes(),
                               .embedding_dim = model->embedding_dim(),
                               .feature_dim = model->feature_dim()},
                              read_matrix);
  TrainingRun run(config, settings, data, model, loss, environment);

  const auto directory = choose_directory(request, config);
  if (request.resume) {
    run.resume(find_run(directory));
  } else {
    check_run_can_be_made(directory);
    run.start(make_run(directory));
  }
  return run.finish();
}

}  // namespace projnce
