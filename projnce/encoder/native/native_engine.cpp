#include "projnce/encoder/native/native_engine.h"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "projnce/encoder/native/native_block.h"
#include "projnce/kernel/conv/pooling.h"

namespace projnce::encoder {

/// A network of native blocks, with the state that a forward pass saves for backward.
template <class T>
class NativeBackbone {
 public:
  explicit NativeBackbone(const BackboneSpec& plan);

  /// [N, C, H, W] -> [N, F] in training mode; saves the images for backward.
  torch::Tensor forward(const torch::Tensor& images, NativeMemory<T>& memory);
  /// [N, C, H, W] -> [N, F] in evaluation mode.
  torch::Tensor evaluate(const torch::Tensor& images, NativeMemory<T>& memory);
  /// Takes d loss / d features of the last forward pass and returns the gradients of all
  /// parameters, layer by layer: convolution weight, batch-norm weight, batch-norm bias.
  std::vector<torch::Tensor> backward(const torch::Tensor& gradient, NativeMemory<T>& memory);

 private:
  NativeActivations<T> begin(const torch::Tensor& images, NativeMemory<T>& memory);
  torch::Tensor average(const NativeActivations<T>& maps, NativeMemory<T>& memory) const;

  int64_t grid_;
  std::vector<std::unique_ptr<NativeBlock<T>>> parts_;
  torch::Tensor images_;
  std::vector<NativeActivations<T>> maps_;  // input of each block, and output of the last
};

namespace {

template <class T>
struct MakePart {
  std::unique_ptr<NativeBlock<T>> operator()(const ConvBnReluSpec& plan) const {
    return make_conv_block<T>(plan);
  }
  std::unique_ptr<NativeBlock<T>> operator()(const ResidualBlockSpec& plan) const {
    return make_residual_block<T>(plan);
  }
};

}  // namespace

template <class T>
NativeBackbone<T>::NativeBackbone(const BackboneSpec& plan) : grid_(plan.grid) {
  for (const auto& part : plan.parts) parts_.push_back(std::visit(MakePart<T>{}, part));
}

template <class T>
NativeActivations<T> NativeBackbone<T>::begin(const torch::Tensor& images,
                                              NativeMemory<T>& memory) {
  images_ = images.detach().contiguous(torch::MemoryFormat::ChannelsLast);
  const kernel::ActivationShape shape{images.size(0), images.size(1), images.size(2),
                                      images.size(3)};
  kernel::ActivationShape behind = shape;
  int64_t largest = 0;
  for (const auto& part : parts_) {
    largest = std::max(largest, part->largest(behind));
    behind = part->out_shape(behind);
  }
  memory.buffers.reserve(largest);
  return {.shape = shape, .source = {}, .images = images_.template data_ptr<T>()};
}

template <class T>
torch::Tensor NativeBackbone<T>::forward(const torch::Tensor& images, NativeMemory<T>& memory) {
  maps_ = {begin(images, memory)};
  for (const auto& part : parts_) maps_.push_back(part->forward(maps_.back(), memory));
  return average(maps_.back(), memory);
}

template <class T>
torch::Tensor NativeBackbone<T>::evaluate(const torch::Tensor& images, NativeMemory<T>& memory) {
  auto maps = begin(images, memory);
  for (const auto& part : parts_) maps = part->evaluate(maps, memory);
  return average(maps, memory);
}

template <class T>
torch::Tensor NativeBackbone<T>::average(const NativeActivations<T>& maps,
                                         NativeMemory<T>& memory) const {
  const auto& shape = maps.shape;
  auto features = torch::empty({shape.images, shape.channels * grid_ * grid_}, images_.options());
  kernel::adaptive_avg_pool(shape, maps.source, grid_, features.template data_ptr<T>(),
                            memory.workspace);
  return features;
}

template <class T>
std::vector<torch::Tensor> NativeBackbone<T>::backward(const torch::Tensor& gradient,
                                                       NativeMemory<T>& memory) {
  const auto feature_gradient = gradient.contiguous();
  T* first = memory.buffers.unused({});
  {
    const auto relu_epilogue = parts_.back()->relu_epilogue(first, nullptr);
    kernel::adaptive_avg_pool_backward(maps_.back().shape, feature_gradient.template data_ptr<T>(),
                                       grid_, first, relu_epilogue.get());
  }
  const T* g = first;
  for (size_t i = parts_.size(); i-- > 0;) {
    g = parts_[i]->backward(maps_[i], g, i > 0 ? parts_[i - 1].get() : nullptr, memory);
  }
  std::vector<torch::Tensor> gradients;
  for (const auto& part : parts_) {
    for (const auto* layer : part->layers()) {
      for (auto& tensor : layer->gradients()) gradients.push_back(std::move(tensor));
    }
  }
  return gradients;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// State shared by the passes of an engine. Outlives the engine while a graph uses a backbone.
struct NativeBackbones {
  /// For element type T: working memory, and the backbones that no graph uses.
  template <class T>
  struct Pool {
    NativeMemory<T> memory;
    std::vector<std::unique_ptr<NativeBackbone<T>>> idle;
  };
  template <class T>
  Pool<T>& pool() {
    return std::get<Pool<T>>(pools);
  }

  explicit NativeBackbones(BackboneSpec network) : plan(std::move(network)) {}

  BackboneSpec plan;
  std::mutex mutex;
  std::tuple<Pool<float>, Pool<double>> pools;
};

namespace {

/// A pass through the network, owned by its autograd graph.
class NativePass : public torch::CustomClassHolder {
 public:
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  virtual torch::Tensor evaluate(const torch::Tensor& images) = 0;
  virtual variable_list backward(const torch::Tensor& gradient) = 0;
};

/// Takes a backbone from the pool and returns it on destruction.
template <class T>
class BackbonePass : public NativePass {
 public:
  explicit BackbonePass(std::shared_ptr<NativeBackbones> backbones)
      : backbones_(std::move(backbones)) {
    const std::lock_guard lock(backbones_->mutex);
    auto& idle = backbones_->template pool<T>().idle;
    if (idle.empty()) {
      backbone_ = std::make_unique<NativeBackbone<T>>(backbones_->plan);
    } else {
      backbone_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  ~BackbonePass() override {
    const std::lock_guard lock(backbones_->mutex);
    backbones_->template pool<T>().idle.push_back(std::move(backbone_));
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    return run([&](auto& memory) { return backbone_->forward(images, memory); });
  }
  torch::Tensor evaluate(const torch::Tensor& images) override {
    return run([&](auto& memory) { return backbone_->evaluate(images, memory); });
  }
  variable_list backward(const torch::Tensor& gradient) override {
    return run([&](auto& memory) { return backbone_->backward(gradient, memory); });
  }

 private:
  template <class Work>
  auto run(const Work& work) {
    const std::lock_guard lock(backbones_->mutex);
    return work(backbones_->template pool<T>().memory);
  }

  std::shared_ptr<NativeBackbones> backbones_;
  std::unique_ptr<NativeBackbone<T>> backbone_;
};

c10::intrusive_ptr<NativePass> make_pass(const std::shared_ptr<NativeBackbones>& backbones,
                                         torch::ScalarType type) {
  if (type == torch::kDouble) return c10::make_intrusive<BackbonePass<double>>(backbones);
  return c10::make_intrusive<BackbonePass<float>>(backbones);
}

/// The whole network as one autograd function of its parameters.
class NativeFunction : public torch::autograd::Function<NativeFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                               torch::TensorList parameters,
                               const std::shared_ptr<NativeBackbones>& backbones) {
    auto pass = make_pass(backbones, images.scalar_type());
    auto features = pass->forward(images);
    context->save_for_backward(parameters.vec());
    context->saved_data["pass"] = c10::IValue::make_capsule(std::move(pass));
    return features;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    context->get_saved_variables();  // throws if a parameter was modified in place since forward
    const auto pass = context->saved_data["pass"].toCapsule();
    auto parameter_gradients = static_cast<NativePass&>(*pass).backward(gradients[0]);
    variable_list all = {torch::Tensor()};  // no gradient for the images
    for (auto& gradient : parameter_gradients) all.push_back(std::move(gradient));
    all.emplace_back();
    return all;
  }
};

void append_layer(std::vector<torch::Tensor>& parameters, const torch::nn::Conv2d& conv,
                  const BatchNorm& norm) {
  parameters.insert(parameters.end(), {conv->weight, norm->weight, norm->bias});
}

/// Appends parameters in the order of NativeBackbone::backward.
struct AppendParameters {
  std::vector<torch::Tensor>& parameters;

  void operator()(const ConvBnReluSpec& plan) const {
    append_layer(parameters, plan.conv, plan.norm);
  }
  void operator()(const ResidualBlockSpec& plan) const {
    append_layer(parameters, plan.conv1, plan.norm1);
    append_layer(parameters, plan.conv2, plan.norm2);
    if (!plan.shortcut.is_empty()) append_layer(parameters, plan.shortcut, plan.shortcut_norm);
  }
};

std::vector<torch::Tensor> parameters_of(const BackboneSpec& plan) {
  std::vector<torch::Tensor> parameters;
  for (const auto& part : plan.parts) std::visit(AppendParameters{parameters}, part);
  return parameters;
}

bool is_supported(const torch::Tensor& tensor) {
  return tensor.device().is_cpu() &&
         (tensor.scalar_type() == torch::kFloat || tensor.scalar_type() == torch::kDouble);
}

}  // namespace

NativeEngine::NativeEngine(BackboneSpec plan)
    : backbones_(std::make_shared<NativeBackbones>(std::move(plan))) {}

bool NativeEngine::supports(const torch::Tensor& images, bool training) const {
  if (!is_supported(images) || images.dim() != 4 || images.numel() == 0) return false;
  const bool gradients = torch::GradMode::is_enabled();
  if (gradients && (images.requires_grad() || !training)) return false;
  for (const auto& parameter : parameters_of(backbones_->plan)) {
    if (!is_supported(parameter) || parameter.scalar_type() != images.scalar_type()) return false;
  }
  return true;
}

torch::Tensor NativeEngine::forward(const torch::Tensor& images, bool training) {
  if (!training) return make_pass(backbones_, images.scalar_type())->evaluate(images);
  const auto parameters = parameters_of(backbones_->plan);
  return NativeFunction::apply(images, torch::TensorList(parameters), backbones_);
}

}  // namespace projnce::encoder
