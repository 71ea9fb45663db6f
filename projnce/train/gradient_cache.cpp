#include "projnce/train/gradient_cache.h"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <vector>

#include "projnce/train/passing_state.h"

namespace projnce {

namespace {

/// A run of samples of the batch.
struct Piece {
  int64_t first;
  int64_t count;
};

/// What encoding depends on and changes, besides weights and pictures.
struct EncodingState {
  torch::Tensor generator;
  std::vector<torch::Tensor> buffers;
};

struct PiecewiseEncoded {
  Encoded whole;                      // of all rows, in the order of the batch; without graph
  std::vector<EncodingState> before;  // of each piece
};

EncodingState capture_state(const EmbeddingModel& model) {
  return {random_state(), copy_buffers(model)};
}

void restore_state(EmbeddingModel& model, const EncodingState& state) {
  restore_buffers(model, state.buffers);
  set_random_state(state.generator);
}

std::vector<Piece> cut_batch(int64_t samples, int64_t micro_batch) {
  if (micro_batch == 0) return {{0, samples}};
  const int64_t needed = (samples + micro_batch - 1) / micro_batch;
  const int64_t most = samples / std::min<int64_t>(micro_batch, 2);
  const int64_t count = std::max<int64_t>(std::min(needed, most), 1);
  std::vector<Piece> pieces;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = samples * i / count;
    pieces.push_back({first, samples * (i + 1) / count - first});
  }
  return pieces;
}

/// The rows of the piece's samples: all first views, then all second ones. Keeps the memory format.
torch::Tensor rows_of(const torch::Tensor& batch, const Piece& piece, int64_t views) {
  const int64_t samples = batch.size(0) / views;
  std::vector<torch::Tensor> rows;
  for (int64_t view = 0; view < views; ++view) {
    rows.push_back(batch.narrow(0, view * samples + piece.first, piece.count));
  }
  return torch::cat(rows);
}

/// The inverse of rows_of for all pieces, in their order: [V * B_p, D] each -> [V * B, D].
torch::Tensor join_rows(const std::vector<torch::Tensor>& pieces, int64_t views) {
  std::vector<torch::Tensor> by_view;
  for (const auto& rows : pieces) by_view.push_back(rows.unflatten(0, {views, -1}));
  return torch::cat(by_view, 1).flatten(0, 1);
}

PiecewiseEncoded encode_without_graph(EmbeddingModel& model, const torch::Tensor& images,
                                      const std::vector<Piece>& pieces, int64_t views) {
  const torch::NoGradGuard no_grad;
  std::vector<EncodingState> before;
  std::vector<torch::Tensor> features;
  std::vector<torch::Tensor> embeddings;
  for (const auto& piece : pieces) {
    before.push_back(capture_state(model));
    const auto encoded = model.forward(rows_of(images, piece, views));
    features.push_back(encoded.features);
    embeddings.push_back(encoded.embeddings);
  }
  return {{join_rows(features, views), join_rows(embeddings, views)}, std::move(before)};
}

Encoded leaves_of(const Encoded& encoded) {
  return {encoded.features.detach().requires_grad_(), encoded.embeddings.detach().requires_grad_()};
}

/// Sends d loss / d embeddings and d features, which stand on the leaves, down through the model.
/// One is undefined where the loss did not look at it; an output needs none where all weights below
/// it are frozen.
void backward_outputs(const Encoded& outputs, const torch::Tensor& features_gradient,
                      const torch::Tensor& embeddings_gradient) {
  torch::autograd::variable_list reached;
  torch::autograd::variable_list gradients;
  const auto add = [&](const torch::Tensor& output, const torch::Tensor& gradient) {
    if (!gradient.defined() || !output.requires_grad()) return;
    reached.push_back(output);
    gradients.push_back(gradient);
  };
  add(outputs.features, features_gradient);
  add(outputs.embeddings, embeddings_gradient);
  if (!reached.empty()) torch::autograd::backward(reached, gradients);
}

void announce_last_pass(const EncodingPlan& plan) {
  if (plan.before_last_pass) plan.before_last_pass();
}

LossValue backward_in_one(EmbeddingModel& model, const torch::Tensor& images,
                          const EncodingPlan& plan, const BatchLoss& loss) {
  const auto outputs = model.forward(images);
  const auto leaves = leaves_of(outputs);
  auto value = loss(leaves);
  announce_last_pass(plan);
  backward_outputs(outputs, leaves.features.grad(), leaves.embeddings.grad());
  return value;
}

void backward_piece(EmbeddingModel& model, const torch::Tensor& images, const Encoded& leaves,
                    const Piece& piece, int64_t views) {
  const auto again = model.forward(rows_of(images, piece, views));
  const auto part = [&](const torch::Tensor& leaf) {
    return leaf.grad().defined() ? rows_of(leaf.grad(), piece, views) : torch::Tensor();
  };
  backward_outputs(again, part(leaves.features), part(leaves.embeddings));
}

LossValue backward_in_pieces(EmbeddingModel& model, const torch::Tensor& images,
                             const std::vector<Piece>& pieces, const EncodingPlan& plan,
                             const BatchLoss& loss) {
  const auto first = encode_without_graph(model, images, pieces, plan.views);
  const auto leaves = leaves_of(first.whole);
  auto value = loss(leaves);
  const auto after = capture_state(model);
  for (size_t i = 0; i < pieces.size(); ++i) {
    restore_state(model, first.before[i]);
    if (i + 1 == pieces.size()) announce_last_pass(plan);
    backward_piece(model, images, leaves, pieces[i], plan.views);
  }
  restore_state(model, after);
  return value;
}

LossValue loss_of_nothing(const EmbeddingModel& model, const EncodingPlan& plan,
                          const BatchLoss& loss) {
  const auto weights = model.parameters();
  const auto type = torch::dtype(weights.empty() ? torch::kFloat : weights[0].scalar_type());
  auto value = loss(leaves_of({torch::empty({0, model.feature_dim()}, type),
                               torch::empty({0, model.embedding_dim()}, type)}));
  announce_last_pass(plan);
  return value;
}

}  // namespace

LossValue propagate(LossValue value) {
  value.loss.backward();
  value.loss = value.loss.detach();
  return value;
}

LossValue backward_batch(EmbeddingModel& model, const torch::Tensor& images,
                         const EncodingPlan& plan, const BatchLoss& loss) {
  TORCH_CHECK(plan.views >= 1 && images.size(0) % plan.views == 0,
              "backward_batch: ", images.size(0), " rows are no whole number of samples in ",
              plan.views, " views");
  TORCH_CHECK(plan.micro_batch >= 0, "backward_batch: micro_batch = ", plan.micro_batch,
              ", expected 0 or more");
  if (images.size(0) == 0 && !plan.encode_empty) return loss_of_nothing(model, plan, loss);
  const auto pieces = cut_batch(images.size(0) / plan.views, plan.micro_batch);
  if (pieces.size() == 1) return backward_in_one(model, images, plan, loss);
  return backward_in_pieces(model, images, pieces, plan, loss);
}

}  // namespace projnce
