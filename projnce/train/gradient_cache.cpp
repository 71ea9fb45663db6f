#include "projnce/train/gradient_cache.h"

#include <ATen/Context.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "projnce/train/autocast.h"

namespace projnce::train {

namespace {

at::Generator default_generator(const torch::Device& device) {
  return device.is_meta() ? at::Generator() : at::globalContext().defaultGenerator(device);
}

}  // namespace

torch::Tensor random_state(const torch::Device& device) {
  auto generator = default_generator(device);
  if (!generator.defined()) return {};
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_random_state(const torch::Tensor& state, const torch::Device& device) {
  auto generator = default_generator(device);
  if (!state.defined() || !generator.defined()) return;
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state.clone());  // torch 2.13 crashes on a view with a storage offset
}

std::vector<torch::Tensor> copy_buffers(const encoder::EmbeddingModel& model) {
  std::vector<torch::Tensor> copies;
  for (const auto& buffer : model.buffers()) copies.push_back(buffer.detach().clone());
  return copies;
}

void restore_buffers(encoder::EmbeddingModel& model, const std::vector<torch::Tensor>& copies) {
  const torch::NoGradGuard no_grad;
  auto buffers = model.buffers();
  for (size_t i = 0; i < copies.size(); ++i) buffers[i].copy_(copies[i]);
}

void restore_buffers_unless(const torch::Tensor& keep, encoder::EmbeddingModel& model,
                            const std::vector<torch::Tensor>& copies) {
  const torch::NoGradGuard no_grad;
  auto buffers = model.buffers();
  for (size_t i = 0; i < copies.size(); ++i) {
    buffers[i].copy_(torch::where(keep, buffers[i], copies[i]));
  }
}

namespace {

/// A contiguous range of samples in the batch.
struct MicroBatch {
  int64_t first;
  int64_t count;
};

/// State that encoding reads and modifies, besides weights and images.
struct EncodingState {
  torch::Tensor host_generator;
  torch::Tensor device_generator;  // undefined on the CPU
  std::vector<torch::Tensor> buffers;
};

struct EncodedMicroBatches {
  encoder::Encoded whole;             // outputs of all rows, in batch order; without graph
  std::vector<EncodingState> before;  // state before each micro-batch
};

EncodingState capture_state(const encoder::EmbeddingModel& model, const torch::Device& device) {
  return {random_state(), device.is_cpu() ? torch::Tensor() : random_state(device),
          copy_buffers(model)};
}

void restore_state(encoder::EmbeddingModel& model, const torch::Device& device,
                   const EncodingState& state) {
  restore_buffers(model, state.buffers);
  set_random_state(state.host_generator);
  if (!device.is_cpu()) set_random_state(state.device_generator, device);
}

/// Outputs of the model in float32.
encoder::Encoded encode(encoder::EmbeddingModel& model, const torch::Tensor& images,
                        Precision precision) {
  if (precision == Precision::kFloat32) return model.forward(images);
  const Autocast autocast(images.device(), precision);
  const auto encoded = model.forward(images);
  return {encoded.features.to(torch::kFloat), encoded.embeddings.to(torch::kFloat)};
}

std::vector<MicroBatch> split_batch(int64_t samples, int64_t micro_batch) {
  if (micro_batch == 0) return {{0, samples}};
  const int64_t needed = (samples + micro_batch - 1) / micro_batch;
  const int64_t most = samples / std::min<int64_t>(micro_batch, 2);
  const int64_t count = std::max<int64_t>(std::min(needed, most), 1);
  std::vector<MicroBatch> micro_batches;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = samples * i / count;
    micro_batches.push_back({first, samples * (i + 1) / count - first});
  }
  return micro_batches;
}

/// Returns the rows of the micro-batch's samples, view-major. Preserves the memory format.
torch::Tensor rows_of(const torch::Tensor& batch, const MicroBatch& micro_batch, int64_t views) {
  const int64_t samples = batch.size(0) / views;
  std::vector<torch::Tensor> rows;
  for (int64_t view = 0; view < views; ++view) {
    rows.push_back(batch.narrow(0, view * samples + micro_batch.first, micro_batch.count));
  }
  return torch::cat(rows);
}

/// Inverts rows_of for all micro-batches, in order: [V * B_m, D] each -> [V * B, D].
torch::Tensor join_rows(const std::vector<torch::Tensor>& micro_batches, int64_t views) {
  std::vector<torch::Tensor> by_view;
  for (const auto& rows : micro_batches) by_view.push_back(rows.unflatten(0, {views, -1}));
  return torch::cat(by_view, 1).flatten(0, 1);
}

EncodedMicroBatches encode_without_graph(encoder::EmbeddingModel& model,
                                         const torch::Tensor& images,
                                         const std::vector<MicroBatch>& micro_batches,
                                         const EncodingPlan& plan) {
  const torch::NoGradGuard no_grad;
  std::vector<EncodingState> before;
  std::vector<torch::Tensor> features;
  std::vector<torch::Tensor> embeddings;
  for (const auto& micro_batch : micro_batches) {
    before.push_back(capture_state(model, images.device()));
    const auto encoded = encode(model, rows_of(images, micro_batch, plan.views), plan.precision);
    features.push_back(encoded.features);
    embeddings.push_back(encoded.embeddings);
  }
  return {{join_rows(features, plan.views), join_rows(embeddings, plan.views)}, std::move(before)};
}

encoder::Encoded leaves_of(const encoder::Encoded& encoded) {
  return {encoded.features.detach().requires_grad_(), encoded.embeddings.detach().requires_grad_()};
}

/// Back-propagates d loss / d features and d loss / d embeddings through the model. A gradient is
/// undefined if the loss does not use that output; an output needs none if all weights below it
/// are frozen.
void backward_outputs(const encoder::Encoded& outputs, const torch::Tensor& features_gradient,
                      const torch::Tensor& embeddings_gradient) {
  torch::autograd::variable_list roots;
  torch::autograd::variable_list gradients;
  const auto add = [&](const torch::Tensor& output, const torch::Tensor& gradient) {
    if (!gradient.defined() || !output.requires_grad()) return;
    roots.push_back(output);
    gradients.push_back(gradient);
  };
  add(outputs.features, features_gradient);
  add(outputs.embeddings, embeddings_gradient);
  if (!roots.empty()) torch::autograd::backward(roots, gradients);
}

void call_before_last_pass(const EncodingPlan& plan) {
  if (plan.before_last_pass) plan.before_last_pass();
}

loss::LossValue backward_whole_batch(encoder::EmbeddingModel& model, const torch::Tensor& images,
                                     const EncodingPlan& plan, const BatchLoss& loss) {
  const auto outputs = encode(model, images, plan.precision);
  const auto leaves = leaves_of(outputs);
  auto value = loss(leaves);
  call_before_last_pass(plan);
  backward_outputs(outputs, leaves.features.grad(), leaves.embeddings.grad());
  return value;
}

void backward_micro_batch(encoder::EmbeddingModel& model, const torch::Tensor& images,
                          const encoder::Encoded& leaves, const MicroBatch& micro_batch,
                          const EncodingPlan& plan) {
  const auto again = encode(model, rows_of(images, micro_batch, plan.views), plan.precision);
  const auto part = [&](const torch::Tensor& leaf) {
    return leaf.grad().defined() ? rows_of(leaf.grad(), micro_batch, plan.views) : torch::Tensor();
  };
  backward_outputs(again, part(leaves.features), part(leaves.embeddings));
}

loss::LossValue backward_micro_batches(encoder::EmbeddingModel& model, const torch::Tensor& images,
                                       const std::vector<MicroBatch>& micro_batches,
                                       const EncodingPlan& plan, const BatchLoss& loss) {
  const auto first = encode_without_graph(model, images, micro_batches, plan);
  const auto leaves = leaves_of(first.whole);
  auto value = loss(leaves);
  const auto after = capture_state(model, images.device());
  for (size_t i = 0; i < micro_batches.size(); ++i) {
    restore_state(model, images.device(), first.before[i]);
    if (i + 1 == micro_batches.size()) call_before_last_pass(plan);
    backward_micro_batch(model, images, leaves, micro_batches[i], plan);
  }
  restore_state(model, images.device(), after);
  return value;
}

loss::LossValue empty_batch_loss(const encoder::EmbeddingModel& model, const EncodingPlan& plan,
                                 const BatchLoss& loss) {
  const auto weights = model.parameters();
  const auto type = weights.empty() ? torch::TensorOptions(torch::kFloat)
                                    : weights[0].options().requires_grad(false);
  auto value = loss(leaves_of({torch::empty({0, model.feature_dim()}, type),
                               torch::empty({0, model.embedding_dim()}, type)}));
  call_before_last_pass(plan);
  return value;
}

}  // namespace

loss::LossValue propagate(loss::LossValue value, const torch::Tensor& scale) {
  value.loss.backward(scale);
  value.loss = value.loss.detach();
  return value;
}

loss::LossValue backward_batch(encoder::EmbeddingModel& model, const torch::Tensor& images,
                               const EncodingPlan& plan, const BatchLoss& loss) {
  TORCH_CHECK(plan.views >= 1 && images.size(0) % plan.views == 0,
              "backward_batch: ", images.size(0), " rows are not divisible by ", plan.views,
              " views");
  TORCH_CHECK(plan.micro_batch >= 0, "backward_batch: micro_batch = ", plan.micro_batch,
              ", expected 0 or more");
  if (images.size(0) == 0 && !plan.encode_empty) return empty_batch_loss(model, plan, loss);
  const auto micro_batches = split_batch(images.size(0) / plan.views, plan.micro_batch);
  if (micro_batches.size() == 1) return backward_whole_batch(model, images, plan, loss);
  return backward_micro_batches(model, images, micro_batches, plan, loss);
}

namespace {

/// The rows of all ranks, in rank order.
struct GatheredRows {
  std::vector<int64_t> counts;  // rows of each rank
  torch::Tensor embeddings;     // [M, D], a leaf
  torch::Tensor labels;         // [M]
  torch::Tensor instances;      // [M]
  int64_t first = 0;            // index of this rank's first row
  int64_t own = 0;              // number of this rank's rows

  int64_t total() const { return embeddings.size(0); }
};

GatheredRows gather(distributed::ProcessGroup& ranks, const encoder::Encoded& leaves,
                    const loader::Batch& batch) {
  GatheredRows rows;
  rows.own = leaves.embeddings.size(0);
  rows.counts = ranks.all_gather_counts(rows.own);
  const auto mine = rows.counts.begin() + ranks.rank();
  rows.first = std::accumulate(rows.counts.begin(), mine, int64_t{0});
  const auto ids = torch::stack({batch.labels, batch.indices}, 1).repeat({batch.views, 1});
  const auto all_ids = ranks.all_gather_rows(ids, rows.counts);  // [M, 2]
  rows.labels = all_ids.select(1, 0).contiguous();
  rows.instances = all_ids.select(1, 1).contiguous();
  rows.embeddings = ranks.all_gather_rows(leaves.embeddings.detach(), rows.counts).requires_grad_();
  return rows;
}

loss::ContrastiveBatch batch_of(const GatheredRows& rows, const torch::Tensor& features) {
  return {.anchors = rows.embeddings.narrow(0, rows.first, rows.own),
          .anchor_labels = rows.labels.narrow(0, rows.first, rows.own),
          .candidates = rows.embeddings,
          .candidate_labels = rows.labels,
          .anchor_offset = rows.first,
          .anchor_instances = rows.instances.narrow(0, rows.first, rows.own),
          .candidate_instances = rows.instances,
          .anchor_features = features};
}

loss::LossValue weighted(loss::LossValue value, double weight) {
  value.loss = value.loss * weight;
  for (auto& [name, part] : value.parts) part = part * weight;
  return value;
}

/// Loss of a rank without rows. Evaluates the rows of all ranks with weight 0, so that this rank
/// reports the same parts and has gradients for the same parameters as the others.
loss::LossValue zero_weight_loss(loss::Loss& loss, const GatheredRows& rows,
                                 const encoder::Encoded& leaves, const torch::Tensor& scale) {
  auto features = torch::zeros({rows.total(), leaves.features.size(1)}, leaves.features.options());
  features.requires_grad_();
  const auto everything = loss::make_batch(rows.embeddings, rows.labels, rows.instances, features);
  auto value = propagate(weighted(loss.evaluate(everything), 0), scale);
  if (features.grad().defined()) leaves.features.mutable_grad() = features.grad().narrow(0, 0, 0);
  return value;
}

loss::LossValue backward_local_loss(loss::Loss& loss, const GatheredRows& rows,
                                    const encoder::Encoded& leaves, const torch::Tensor& scale) {
  if (rows.own == 0) return zero_weight_loss(loss, rows, leaves, scale);
  const auto weight = static_cast<double>(rows.own) / static_cast<double>(rows.total());
  return propagate(weighted(loss.evaluate(batch_of(rows, leaves.features)), weight), scale);
}

}  // namespace

loss::LossValue backward_global_loss(distributed::ProcessGroup& ranks, loss::Loss& loss,
                                     const encoder::Encoded& leaves, const loader::Batch& batch,
                                     const torch::Tensor& scale) {
  if (ranks.size() == 1) {
    // Using one tensor as anchors and candidates halves the work of the kernels.
    return propagate(
        loss.evaluate(loss::make_batch(leaves.embeddings, batch.labels.repeat({batch.views}),
                                       batch.indices.repeat({batch.views}), leaves.features)),
        scale);
  }
  const auto rows = gather(ranks, leaves, batch);
  const auto value = backward_local_loss(loss, rows, leaves, scale);
  if (rows.embeddings.grad().defined()) {
    leaves.embeddings.mutable_grad() = ranks.reduce_scatter(rows.embeddings.grad(), rows.counts);
  }
  return value;
}

}  // namespace projnce::train
