#include "projnce/pipeline/predict.h"

#include <torch/torch.h>

#include "projnce/core/threads.h"
#include "projnce/dataset/decode_all.h"
#include "projnce/dataset/subset.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/io/printable.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/trained_model.h"

namespace projnce {

namespace {

constexpr int64_t kBatchSize = 64;

/// Fills in the problems of files that do not decode; returns the indices of the others.
std::vector<int64_t> find_usable(const Dataset& files, std::vector<Prediction>& predictions,
                                 int threads) {
  for (const auto& damaged : decode_all(files, {.threads = threads}, [](int64_t, Sample&&) {})) {
    predictions[damaged.index].problem = damaged.reason;
  }
  std::vector<int64_t> usable;
  for (int64_t i = 0; i < files.size(); ++i) {
    if (predictions[i].problem.empty()) usable.push_back(i);
  }
  return usable;
}

}  // namespace

std::vector<Prediction> predict_files(const std::filesystem::path& run,
                                      const std::vector<std::filesystem::path>& files) {
  const int threads = set_threads(0);
  const auto trained = load_trained_model(find_run(run).encoder());
  const auto list = as_model_input(open_files(files, trained.input), trained.input, nullptr);
  std::vector<Prediction> predictions(files.size());
  for (size_t i = 0; i < files.size(); ++i) predictions[i].file = printable(files[i].native());

  const auto usable = find_usable(*list, predictions, threads);
  if (usable.empty()) return predictions;
  JudgedSamples samples;
  samples.test = embed_dataset(*trained.model, std::make_shared<SubsetDataset>(list, usable),
                               eval_loader_options(trained.input, kBatchSize, threads));
  samples.num_classes = static_cast<int64_t>(trained.class_names.size());
  add_learned_classes(samples, *trained.loss);
  const auto scores = samples.logits.defined()
                          ? samples.logits.softmax(1)
                          : cosine_scores(samples.test.embeddings, trained.class_vectors);
  const auto classes = predict_class(scores);
  for (size_t row = 0; row < usable.size(); ++row) {
    const auto best = classes[row].item<int64_t>();
    predictions[usable[row]].class_name = trained.class_names[best];
    predictions[usable[row]].similarity = scores[row][best].item<double>();
  }
  return predictions;
}

}  // namespace projnce
