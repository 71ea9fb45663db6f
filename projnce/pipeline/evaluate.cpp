#include "projnce/pipeline/evaluate.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/pipeline/named_data.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/trained_model.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

/// The run's configuration, pointed at other data where asked.
Table evaluation_config(const EvaluateRequest& request, const RunPaths& run) {
  auto config = read_toml(run.config());
  if (!request.data.empty()) {
    config.tables["dataset"] = dataset_table(request.data.string());
  }
  return config;
}

void check_same_classes(const TrainedModel& trained, const Dataset& test) {
  if (trained.class_names == test.class_names()) return;
  fail(Hint{"give a folder with the same class folders"}, "the run was trained on the classes ",
       join(trained.class_names), "; the data has ", join(test.class_names()));
}

std::string most_often_taken_for(const Accuracy& accuracy, size_t label,
                                 const std::vector<std::string>& names) {
  size_t worst = label;
  for (size_t c = 0; c < names.size(); ++c) {
    const auto count = accuracy.confusion[label][c];
    if (c != label && count > (worst == label ? 0 : accuracy.confusion[label][worst])) worst = c;
  }
  return worst == label ? "-" : concat(names[worst], " (", accuracy.confusion[label][worst], ")");
}

ordered_json accuracy_json(const Accuracy& accuracy, const std::vector<std::string>& names) {
  ordered_json result{{"protocol", "zero-shot"},
                      {"samples", accuracy.samples},
                      {"top1", accuracy.top1},
                      {"top5", accuracy.top5},
                      {"classes", ordered_json::array()}};
  for (size_t c = 0; c < names.size(); ++c) {
    const double share = accuracy.per_class[c];
    result["classes"].push_back({{"name", names[c]},
                                 {"top1", std::isnan(share) ? ordered_json() : ordered_json(share)},
                                 {"taken_for", most_often_taken_for(accuracy, c, names)}});
  }
  result["confusion"] = accuracy.confusion;
  return result;
}

}  // namespace

ordered_json evaluate_run(const EvaluateRequest& request, const Logger& logger) {
  if (request.protocol != "zero-shot") {
    fail_unknown("protocol", request.protocol, {"zero-shot"});
  }
  const auto run = find_run(request.run);
  const auto trained = load_trained_model(run.encoder());
  auto config = evaluation_config(request, run);
  const auto settings = read_run_settings(config);
  const int threads = set_threads(static_cast<int>(settings.threads));
  const auto data = open_training_data(config, settings, threads, request.context);
  check_same_classes(trained, data.test());

  const auto options = read_eval_options(config.tables["eval"]);
  logger->info("judging {} test samples", data.test().size());
  DamageWatch damage(data.judged->size(), logger);
  auto loading = eval_loader_options(trained.input, options.batch_size, threads);
  loading.damage = &damage;
  const auto test = embed_dataset(*trained.model, data.judged, loading);
  const auto scores = class_scores(*trained.loss, test, trained.class_vectors);
  return accuracy_json(measure_accuracy(scores, test.labels), trained.class_names);
}

}  // namespace projnce
