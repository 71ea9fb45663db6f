#include "projnce/pipeline/embed_dataset.h"

#include <torch/types.h>
#include <torch/utils.h>

namespace projnce {

namespace {

/// Evaluation mode, for as long as it lives.
class EvalMode {
 public:
  explicit EvalMode(EmbeddingModel& model) : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;
  ~EvalMode() { model_.train(was_training_); }

 private:
  EmbeddingModel& model_;
  bool was_training_;
};

}  // namespace

EmbeddedSet embed_dataset(EmbeddingModel& model, const DatasetPtr& dataset,
                          const EvalLoaderOptions& options,
                          const std::function<void(int64_t)>& on_rows) {
  const torch::NoGradGuard no_grad;
  const EvalMode eval_mode(model);
  EmbeddedSet set{.embeddings = torch::empty({dataset->size(), model.embedding_dim()}),
                  .features = torch::empty({dataset->size(), model.feature_dim()}),
                  .labels = torch::empty({dataset->size()}, torch::kLong),
                  .indices = torch::empty({dataset->size()}, torch::kLong)};
  EvalLoader loader(dataset, options);
  int64_t row = 0;
  while (const auto batch = loader.next()) {
    const auto encoded = model.forward(batch->images);
    set.embeddings.narrow(0, row, batch->size()).copy_(encoded.embeddings);
    set.features.narrow(0, row, batch->size()).copy_(encoded.features);
    set.labels.narrow(0, row, batch->size()).copy_(batch->labels);
    set.indices.narrow(0, row, batch->size()).copy_(batch->indices);
    row += batch->size();
    if (on_rows) on_rows(row);
  }
  // Damaged samples were left out.
  for (auto* part : {&set.embeddings, &set.features, &set.labels, &set.indices}) {
    *part = part->narrow(0, 0, row);
  }
  return set;
}

}  // namespace projnce
