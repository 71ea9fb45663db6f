#include "projnce/encoder/native/native_backbone.h"

#include <torch/types.h>

#include <algorithm>

#include "projnce/kernel/conv/pooling.h"

namespace projnce::encoder {

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

template class NativeBackbone<float>;
template class NativeBackbone<double>;

}  // namespace projnce::encoder
