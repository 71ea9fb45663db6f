#include "projnce/encoder/native/native_engine.h"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <mutex>
#include <tuple>
#include <utility>

#include "projnce/encoder/native/native_backbone.h"

namespace projnce::encoder {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What the passes of an engine share. Outlives it for as long as a graph holds a trunk.
struct NativeBackbones {
  /// For numbers T: the memory that trunks work in, and trunks that no graph holds.
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

/// A pass through the network, alive as long as its graph.
class NativePass : public torch::CustomClassHolder {
 public:
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  virtual torch::Tensor evaluate(const torch::Tensor& images) = 0;
  virtual variable_list backward(const torch::Tensor& gradient) = 0;
};

/// Borrows a trunk and gives it back at its end.
template <class T>
class TrunkPass : public NativePass {
 public:
  explicit TrunkPass(std::shared_ptr<NativeBackbones> trunks) : trunks_(std::move(trunks)) {
    const std::lock_guard lock(trunks_->mutex);
    auto& idle = trunks_->template pool<T>().idle;
    if (idle.empty()) {
      trunk_ = std::make_unique<NativeBackbone<T>>(trunks_->plan);
    } else {
      trunk_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  ~TrunkPass() override {
    const std::lock_guard lock(trunks_->mutex);
    trunks_->template pool<T>().idle.push_back(std::move(trunk_));
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    return run([&](auto& memory) { return trunk_->forward(images, memory); });
  }
  torch::Tensor evaluate(const torch::Tensor& images) override {
    return run([&](auto& memory) { return trunk_->evaluate(images, memory); });
  }
  variable_list backward(const torch::Tensor& gradient) override {
    return run([&](auto& memory) { return trunk_->backward(gradient, memory); });
  }

 private:
  template <class Work>
  auto run(const Work& work) {
    const std::lock_guard lock(trunks_->mutex);
    return work(trunks_->template pool<T>().memory);
  }

  std::shared_ptr<NativeBackbones> trunks_;
  std::unique_ptr<NativeBackbone<T>> trunk_;
};

c10::intrusive_ptr<NativePass> make_pass(const std::shared_ptr<NativeBackbones>& trunks,
                                         torch::ScalarType type) {
  if (type == torch::kDouble) return c10::make_intrusive<TrunkPass<double>>(trunks);
  return c10::make_intrusive<TrunkPass<float>>(trunks);
}

/// The whole network as one function of its parameters.
class NativeFunction : public torch::autograd::Function<NativeFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                               torch::TensorList parameters,
                               const std::shared_ptr<NativeBackbones>& trunks) {
    auto pass = make_pass(trunks, images.scalar_type());
    auto features = pass->forward(images);
    context->save_for_backward(parameters.vec());
    context->saved_data["pass"] = c10::IValue::make_capsule(std::move(pass));
    return features;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    context->get_saved_variables();  // throws where parameters were changed since
    const auto pass = context->saved_data["pass"].toCapsule();
    auto of_parameters = static_cast<NativePass&>(*pass).backward(gradients[0]);
    variable_list all = {torch::Tensor()};  // images have none
    for (auto& gradient : of_parameters) all.push_back(std::move(gradient));
    all.emplace_back();
    return all;
  }
};

void append_layer(std::vector<torch::Tensor>& parameters, const torch::nn::Conv2d& conv,
                  const BatchNorm& norm) {
  parameters.insert(parameters.end(), {conv->weight, norm->weight, norm->bias});
}

/// In the order of the layers' gradients.
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

bool suits(const torch::Tensor& tensor) {
  return tensor.device().is_cpu() &&
         (tensor.scalar_type() == torch::kFloat || tensor.scalar_type() == torch::kDouble);
}

}  // namespace

NativeEngine::NativeEngine(BackboneSpec plan)
    : trunks_(std::make_shared<NativeBackbones>(std::move(plan))) {}

bool NativeEngine::takes(const torch::Tensor& images, bool training) const {
  if (!suits(images) || images.dim() != 4 || images.numel() == 0) return false;
  const bool gradients = torch::GradMode::is_enabled();
  if (gradients && (images.requires_grad() || !training)) return false;
  for (const auto& parameter : parameters_of(trunks_->plan)) {
    if (!suits(parameter) || parameter.scalar_type() != images.scalar_type()) return false;
  }
  return true;
}

torch::Tensor NativeEngine::forward(const torch::Tensor& images, bool training) {
  if (!training) return make_pass(trunks_, images.scalar_type())->evaluate(images);
  const auto parameters = parameters_of(trunks_->plan);
  return NativeFunction::apply(images, torch::TensorList(parameters), trunks_);
}

}  // namespace projnce::encoder
