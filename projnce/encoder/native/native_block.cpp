#include "projnce/encoder/native/native_block.h"

#include <algorithm>

#include "projnce/kernel/conv/pooling.h"

namespace projnce::encoder {

namespace {

/// Convolution, batch-norm, ReLU and optional max-pooling.
template <class T>
class ConvBlock : public NativeBlock<T> {
 public:
  explicit ConvBlock(const ConvBnReluSpec& plan)
      : layer_(plan.conv, plan.norm),
        pool_(plan.pool),
        ones_(static_cast<size_t>(kernel::blocks_of(layer_.geometry().out_channels) *
                                  kernel::kChannelBlock),
              T(1)),
        zeros_(ones_.size(), T(0)) {}

  kernel::ActivationShape out_shape(const kernel::ActivationShape& in) const override {
    return pooled(layer_.geometry().out_shape(in));
  }
  int64_t largest(const kernel::ActivationShape& in) const override {
    return layer_.geometry().out_shape(in).size();
  }

  NativeActivations<T> forward(const NativeActivations<T>& input,
                               NativeMemory<T>& memory) override {
    layer_.forward(input.first_read(), memory.workspace);
    const kernel::ActivationShape shape = pooled(layer_.shape());
    const int64_t bytes = shape.size() * static_cast<int64_t>(sizeof(T));
    if (out_.bytes() < bytes) out_ = kernel::PageBuffer(bytes);
    if (!pool_) {
      auto source = layer_.normalized(/*relu=*/true);
      source.keep = out();
      return {.shape = shape, .source = source, .stored = out()};
    }
    kernel::max_pool_maps(*pool_, layer_.shape(), layer_.normalized(/*relu=*/true), out(),
                          memory.workspace);
    return stored(shape, out());
  }

  NativeActivations<T> evaluate(const NativeActivations<T>& input,
                                NativeMemory<T>& memory) override {
    T* maps = memory.buffers.unused({input.stored});
    const kernel::ActivationShape shape =
        layer_.evaluate(input.reread(), maps, nullptr, /*relu=*/true, memory.workspace);
    if (!pool_) return stored(shape, maps);
    T* out = memory.buffers.unused({maps});
    kernel::max_pool_maps(*pool_, shape, kernel::InputTransform<T>{.x = maps}, out,
                          memory.workspace);
    return stored(pooled(shape), out);
  }

  std::unique_ptr<kernel::Epilogue> relu_epilogue(T* gradient, const T* added) override {
    if (!pool_) return std::make_unique<kernel::ReluBackward<T>>(conv_epilogue(gradient, added));
    if (!added) return nullptr;
    pooled_shape_ = pooled(layer_.shape());
    return std::make_unique<kernel::Activate<T>>(
        pooled_shape_, gradient,
        kernel::InputTransform<T>{.x = gradient,
                                  .scale = ones_.data(),
                                  .shift = zeros_.data(),
                                  .other = added,
                                  .other_scale = ones_.data()});
  }

  const T* backward(const NativeActivations<T>& input, const T* gradient, NativeBlock<T>* previous,
                    NativeMemory<T>& memory) override {
    const T* g = gradient;
    if (pool_) {
      T* unpooled = memory.buffers.unused({gradient});
      kernel::max_pool_backward(*pool_, layer_.shape(), layer_.normalized(/*relu=*/true), out(),
                                gradient, unpooled, conv_epilogue(unpooled, nullptr),
                                memory.workspace);
      g = unpooled;
    }
    layer_.backward_norm(*sums_);
    T* in_gradient = previous ? memory.buffers.unused({g}) : nullptr;
    const auto relu_epilogue = previous ? previous->relu_epilogue(in_gradient, nullptr) : nullptr;
    layer_.backward(input.reread(), g, in_gradient, relu_epilogue.get(), memory.workspace);
    return in_gradient;
  }

  std::vector<const NativeLayer<T>*> layers() const override { return {&layer_}; }

 private:
  T* out() const { return static_cast<T*>(out_.data()); }

  kernel::ActivationShape pooled(kernel::ActivationShape shape) const {
    if (!pool_) return shape;
    shape.height = pool_->out_side(shape.height);
    shape.width = pool_->out_side(shape.width);
    return shape;
  }

  static NativeActivations<T> stored(const kernel::ActivationShape& shape, const T* maps) {
    return {.shape = shape, .source = {.x = maps}, .stored = maps};
  }

  kernel::ReluBackward<T> conv_epilogue(T* gradient, const T* added) {
    sums_ = &layer_.clear_sums();
    return kernel::ReluBackward<T>(layer_.shape(),
                                   {.gradient = gradient,
                                    .added = added,
                                    .x = layer_.x(),
                                    .scale = layer_.norm().scale(),
                                    .shift = layer_.norm().shift()},
                                   *sums_);
  }

  NativeLayer<T> layer_;
  std::optional<kernel::PoolGeometry> pool_;
  kernel::PageBuffer out_;
  kernel::ActivationShape pooled_shape_;
  std::vector<T> ones_;
  std::vector<T> zeros_;
  const kernel::ChannelSums* sums_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<NativeBlock<T>> make_conv_block(const ConvBnReluSpec& plan) {
  return std::make_unique<ConvBlock<T>>(plan);
}

template std::unique_ptr<NativeBlock<float>> make_conv_block(const ConvBnReluSpec& plan);
template std::unique_ptr<NativeBlock<double>> make_conv_block(const ConvBnReluSpec& plan);

namespace {

/// y = relu(norm2(conv2(relu(norm1(conv1(input))))) + shortcut). The normalized activations between
/// the two convolutions are never stored.
template <class T>
class NativeResidualBlock : public NativeBlock<T> {
 public:
  explicit NativeResidualBlock(const ResidualBlockSpec& plan)
      : first_(plan.conv1, plan.norm1), second_(plan.conv2, plan.norm2) {
    if (!plan.shortcut.is_empty()) shortcut_.emplace(plan.shortcut, plan.shortcut_norm);
    const auto channels =
        kernel::blocks_of(second_.geometry().out_channels) * kernel::kChannelBlock;
    ones_.assign(static_cast<size_t>(channels), T(1));
    shift_.resize(ones_.size());
  }

  kernel::ActivationShape out_shape(const kernel::ActivationShape& in) const override {
    return first_.geometry().out_shape(in);
  }
  int64_t largest(const kernel::ActivationShape& in) const override { return out_shape(in).size(); }

  // Layers run in the order of ResidualBlockImpl::forward, because processes that synchronize
  // statistics may run either implementation.
  NativeActivations<T> forward(const NativeActivations<T>& input,
                               NativeMemory<T>& memory) override {
    first_.forward(input.first_read(), memory.workspace);
    const kernel::ActivationShape& shape = first_.shape();
    second_.forward({shape, first_.normalized(/*relu=*/true)}, memory.workspace);
    if (shortcut_) shortcut_->forward(input.reread(), memory.workspace);
    const int64_t bytes = shape.size() * static_cast<int64_t>(sizeof(T));
    if (out_.bytes() < bytes) out_ = kernel::PageBuffer(bytes);
    return {.shape = shape, .source = sum(input), .stored = out()};
  }

  NativeActivations<T> evaluate(const NativeActivations<T>& input,
                                NativeMemory<T>& memory) override {
    T* middle = memory.buffers.unused({input.stored});
    const kernel::ActivationShape shape =
        first_.evaluate(input.reread(), middle, nullptr, /*relu=*/true, memory.workspace);
    const T* shortcut = input.stored;
    if (shortcut_) {
      T* own = memory.buffers.unused({input.stored, middle});
      shortcut_->evaluate(input.reread(), own, nullptr, /*relu=*/false, memory.workspace);
      shortcut = own;
    }
    T* out = memory.buffers.unused({middle, shortcut});
    second_.evaluate({shape, {.x = middle}}, out, shortcut, /*relu=*/true, memory.workspace);
    return {.shape = shape, .source = {.x = out}, .stored = out};
  }

  std::unique_ptr<kernel::Epilogue> relu_epilogue(T* gradient, const T* added) override {
    sums_ = &second_.clear_sums();
    return std::make_unique<kernel::ReluBackward<T>>(
        second_.shape(),
        kernel::ReluBackwardEpilogue<T>{.gradient = gradient,
                                        .added = added,
                                        .x = second_.x(),
                                        .second = shortcut_ ? shortcut_->x() : nullptr,
                                        .active = out()},
        *sums_);
  }

  const T* backward(const NativeActivations<T>& input, const T* gradient, NativeBlock<T>* previous,
                    NativeMemory<T>& memory) override {
    auto& buffers = memory.buffers;
    if (shortcut_) shortcut_->backward_norm(*sums_, /*second=*/true);
    second_.backward_norm(*sums_);
    T* middle = buffers.unused({gradient});
    backward_second(gradient, middle, memory);
    const T* shortcut_gradient = gradient;  // with respect to the shortcut's input
    if (shortcut_) {
      T* own = buffers.unused({gradient, middle});
      shortcut_->backward(input.reread(), gradient, own, nullptr, memory.workspace);
      shortcut_gradient = own;
    }
    T* in_gradient = buffers.unused({gradient, middle, shortcut_gradient});
    const auto relu_epilogue = previous->relu_epilogue(in_gradient, shortcut_gradient);
    first_.backward(input.reread(), middle, in_gradient, relu_epilogue.get(), memory.workspace);
    return in_gradient;
  }

  std::vector<const NativeLayer<T>*> layers() const override {
    std::vector<const NativeLayer<T>*> all = {&first_, &second_};
    if (shortcut_) all.push_back(&*shortcut_);
    return all;
  }

 private:
  T* out() const { return static_cast<T*>(out_.data()); }

  /// The output, computed when it is first read, and stored then.
  kernel::InputTransform<T> sum(const NativeActivations<T>& input) {
    std::copy_n(second_.norm().shift(), shift_.size(), shift_.begin());
    if (shortcut_) {
      for (size_t c = 0; c < shift_.size(); ++c) shift_[c] += shortcut_->norm().shift()[c];
    }
    return {.x = second_.x(),
            .scale = second_.norm().scale(),
            .shift = shift_.data(),
            .other = shortcut_ ? shortcut_->x() : input.stored,
            .other_scale = shortcut_ ? shortcut_->norm().scale() : ones_.data(),
            .relu = true,
            .keep = out()};
  }

  void backward_second(const T* gradient, T* middle, NativeMemory<T>& memory) {
    const auto& sums = first_.clear_sums();
    const kernel::ReluBackward<T> relu_epilogue(first_.shape(),
                                                {.gradient = middle,
                                                 .x = first_.x(),
                                                 .scale = first_.norm().scale(),
                                                 .shift = first_.norm().shift()},
                                                sums);
    second_.backward({first_.shape(), first_.normalized(/*relu=*/true)}, gradient, middle,
                     &relu_epilogue, memory.workspace);
    first_.backward_norm(sums);
  }

  NativeLayer<T> first_;
  NativeLayer<T> second_;
  std::optional<NativeLayer<T>> shortcut_;
  kernel::PageBuffer out_;
  std::vector<T> ones_;
  std::vector<T> shift_;  // sum of the shifts of both batch-norms
  const kernel::ChannelSums* sums_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<NativeBlock<T>> make_residual_block(const ResidualBlockSpec& plan) {
  return std::make_unique<NativeResidualBlock<T>>(plan);
}

template std::unique_ptr<NativeBlock<float>> make_residual_block(const ResidualBlockSpec& plan);
template std::unique_ptr<NativeBlock<double>> make_residual_block(const ResidualBlockSpec& plan);

}  // namespace projnce::encoder
