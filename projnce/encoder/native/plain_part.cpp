#include <algorithm>

#include "projnce/encoder/native/native_part.h"
#include "projnce/kernel/conv/pooling.h"

namespace projnce {

namespace {

template <class T>
class PlainPart : public NativePart<T> {
 public:
  explicit PlainPart(const PlainPlan& plan)
      : layer_(plan.conv, plan.norm),
        pool_(plan.pool),
        ones_(static_cast<size_t>(blocks_of(layer_.geometry().out_channels) * kChannelBlock), T(1)),
        zeros_(ones_.size(), T(0)) {}

  MapShape out_shape(const MapShape& in) const override {
    return pooled(layer_.geometry().out_shape(in));
  }
  int64_t largest(const MapShape& in) const override {
    return layer_.geometry().out_shape(in).size();
  }

  NativeMaps<T> forward(const NativeMaps<T>& input, NativeMemory<T>& memory) override {
    layer_.forward(input.first_reading(), memory.workspace);
    const MapShape shape = pooled(layer_.shape());
    const int64_t bytes = shape.size() * static_cast<int64_t>(sizeof(T));
    if (out_.bytes() < bytes) out_ = PageBuffer(bytes);
    if (!pool_) {
      auto source = layer_.normalized(/*relu=*/true);
      source.keep = out();
      return {.shape = shape, .source = source, .stored = out()};
    }
    max_pool_maps(*pool_, layer_.shape(), layer_.normalized(/*relu=*/true), out(),
                  memory.workspace);
    return stored(shape, out());
  }

  NativeMaps<T> evaluate(const NativeMaps<T>& input, NativeMemory<T>& memory) override {
    T* maps = memory.buffers.other_than({input.stored});
    const MapShape shape =
        layer_.evaluate(input.again(), maps, nullptr, /*relu=*/true, memory.workspace);
    if (!pool_) return stored(shape, maps);
    T* out = memory.buffers.other_than({maps});
    max_pool_maps(*pool_, shape, MapSource<T>{.x = maps}, out, memory.workspace);
    return stored(pooled(shape), out);
  }

  std::unique_ptr<MapFinish> gate(T* gradient, const T* added) override {
    if (!pool_) return std::make_unique<GateGradient<T>>(own_gate(gradient, added));
    if (!added) return nullptr;
    pooled_shape_ = pooled(layer_.shape());
    return std::make_unique<Activate<T>>(pooled_shape_, gradient,
                                         MapSource<T>{.x = gradient,
                                                      .scale = ones_.data(),
                                                      .shift = zeros_.data(),
                                                      .other = added,
                                                      .other_scale = ones_.data()});
  }

  const T* backward(const NativeMaps<T>& input, const T* gradient, NativePart<T>* before,
                    NativeMemory<T>& memory) override {
    const T* g = gradient;
    if (pool_) {
      T* unpooled = memory.buffers.other_than({gradient});
      max_pool_gradient(*pool_, layer_.shape(), layer_.normalized(/*relu=*/true), out(), gradient,
                        unpooled, own_gate(unpooled, nullptr), memory.workspace);
      g = unpooled;
    }
    layer_.differentiate_norm(*sums_);
    T* in_gradient = before ? memory.buffers.other_than({g}) : nullptr;
    const auto gate = before ? before->gate(in_gradient, nullptr) : nullptr;
    layer_.backward(input.again(), g, in_gradient, gate.get(), memory.workspace);
    return in_gradient;
  }

  std::vector<const NativeLayer<T>*> layers() const override { return {&layer_}; }

 private:
  T* out() const { return static_cast<T*>(out_.data()); }

  MapShape pooled(MapShape shape) const {
    if (!pool_) return shape;
    shape.height = pool_->out_side(shape.height);
    shape.width = pool_->out_side(shape.width);
    return shape;
  }

  static NativeMaps<T> stored(const MapShape& shape, const T* maps) {
    return {.shape = shape, .source = {.x = maps}, .stored = maps};
  }

  GateGradient<T> own_gate(T* gradient, const T* added) {
    sums_ = &layer_.clear_sums();
    return GateGradient<T>(layer_.shape(),
                           {.gradient = gradient,
                            .added = added,
                            .x = layer_.x(),
                            .scale = layer_.norm().scale(),
                            .shift = layer_.norm().shift()},
                           *sums_);
  }

  NativeLayer<T> layer_;
  std::optional<PoolGeometry> pool_;
  PageBuffer out_;
  MapShape pooled_shape_;
  std::vector<T> ones_;
  std::vector<T> zeros_;
  const ChannelSums* sums_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<NativePart<T>> make_plain_part(const PlainPlan& plan) {
  return std::make_unique<PlainPart<T>>(plan);
}

template std::unique_ptr<NativePart<float>> make_plain_part(const PlainPlan& plan);
template std::unique_ptr<NativePart<double>> make_plain_part(const PlainPlan& plan);

}  // namespace projnce
