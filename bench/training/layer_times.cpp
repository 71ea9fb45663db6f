#include "bench/training/layer_times.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <iostream>
#include <map>

#include "bench/compare/machine_roofs.h"
#include "bench/compare/stopwatch.h"
#include "bench/training/layer_list.h"

namespace projnce::bench {

namespace {

using nlohmann::ordered_json;

/// Seconds of forward and backward of a layer, per round.
struct PassTimes {
  std::vector<double> forward = {};
  std::vector<double> backward = {};
  double both() const { return median(forward) + median(backward); }
};

template <class Work>
double seconds_of(const Work& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

/// Allocates memory as the engine does, in huge pages. Values are arbitrary but nonzero.
class Numbers {
 public:
  explicit Numbers(int64_t count) : memory_(count * static_cast<int64_t>(sizeof(float))) {
    torch::from_blob(data(), {count}).normal_();
  }
  float* data() const { return static_cast<float*>(memory_.data()); }

 private:
  kernel::PageBuffer memory_;
};

/// A layer with our kernels and layout.
class OurLayer {
 public:
  OurLayer(const ConvLayer& layer, int64_t images)
      : layer_(layer),
        in_{images, layer.geometry.in_channels, layer.height, layer.width},
        x_(layer.reads_images ? images * in_.pixels() * in_.channels : in_.size()),
        out_(layer.geometry.out_shape(in_).size()),
        gradient_(layer.geometry.out_shape(in_).size()),
        in_gradient_(in_.size()),
        weights_(layer.geometry.weights()),
        weight_gradient_(layer.geometry.weights()) {}

  void run(kernel::Workspace& workspace, PassTimes& times) {
    times.forward.push_back(seconds_of([&] {
      kernel::conv_forward<float>({.geometry = layer_.geometry,
                                   .input = input(),
                                   .weights = weights_.data(),
                                   .out = out_.data(),
                                   .epilogue = nullptr},
                                  workspace);
    }));
    times.backward.push_back(seconds_of([&] {
      kernel::conv_backward<float>(
          {.geometry = layer_.geometry,
           .input = input(),
           .gradient = {.x = gradient_.data()},
           .weights = weights_.data(),
           .in_gradient = layer_.reads_images ? nullptr : in_gradient_.data(),
           .epilogue = nullptr,
           .weight_gradient = weight_gradient_.data()},
          workspace);
    }));
  }

 private:
  kernel::ConvInput<float> input() const {
    const auto* x = x_.data();
    if (layer_.reads_images) return {.shape = in_, .maps = {}, .images = x};
    return {.shape = in_, .maps = {.x = x}};
  }

  ConvLayer layer_;
  kernel::ActivationShape in_;
  Numbers x_, out_, gradient_, in_gradient_, weights_, weight_gradient_;
};

/// The same layer with LibTorch.
class TorchLayer {
 public:
  TorchLayer(const ConvLayer& layer, int64_t images) : layer_(layer) {
    const auto& g = layer.geometry;
    x_ = last(torch::randn({images, g.in_channels, layer.height, layer.width}));
    x_.requires_grad_(!layer.reads_images);
    weights_ = last(torch::randn({g.out_channels, g.in_channels, g.kernel, g.kernel}));
    weights_.requires_grad_();
    gradient_ = last(
        torch::randn({images, g.out_channels, g.out_side(layer.height), g.out_side(layer.width)}));
  }

  void run(PassTimes& times) {
    x_.mutable_grad().reset();
    weights_.mutable_grad().reset();
    torch::Tensor out;
    times.forward.push_back(seconds_of([&] {
      out = torch::conv2d(x_, weights_, {}, layer_.geometry.stride, layer_.geometry.padding());
    }));
    times.backward.push_back(seconds_of([&] { out.backward(gradient_); }));
  }

 private:
  static torch::Tensor last(const torch::Tensor& tensor) {
    return tensor.contiguous(torch::MemoryFormat::ChannelsLast);
  }

  ConvLayer layer_;
  torch::Tensor x_, weights_, gradient_;
};

/// Total of the layers of one kind.
struct KindTotal {
  double flops = 0;
  double ours = 0;
  double stock = 0;
};

std::string layer_name(const ConvLayer& layer) {
  return fmt::format("{} {}->{} at {}x{}", layer.kind(), layer.geometry.in_channels,
                     layer.geometry.out_channels, layer.height, layer.width);
}

}  // namespace

ordered_json run_layer_times(int64_t images, int rounds, int threads) {
  std::map<std::string, std::pair<ConvLayer, int>> shapes;  // by name: layer and count
  std::vector<std::string> order;
  for (const auto& layer : conv_layers(encoder::ResNetOptions{})) {
    const auto name = layer_name(layer);
    const auto [place, added] = shapes.try_emplace(name, layer, 0);
    if (added) order.push_back(name);
    ++place->second.second;
  }
  MachineRoofs roofs(threads);
  roofs.measure();
  kernel::Workspace workspace;
  std::map<std::string, KindTotal> kinds;
  ordered_json report = {{"case", "layers"}, {"images", images}, {"layers", ordered_json::array()}};
  std::cout << fmt::format(
      "layers: convolutions of ResNet-18 alone, {} images, ms for forward and for both gradients\n"
      "  {:<30} {:>5} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}\n",
      images, "", "times", "LibTorch", "", "projnce", "", "ratio", "of peak");
  for (const auto& name : order) {
    const auto& [layer, count] = shapes.at(name);
    OurLayer ours(layer, images);
    TorchLayer stock(layer, images);
    PassTimes our_times;
    PassTimes stock_times;
    PassTimes warm_up;
    ours.run(workspace, warm_up);
    stock.run(warm_up);
    for (int round = 0; round < rounds; ++round) {
      stock.run(stock_times);
      ours.run(workspace, our_times);
    }
    roofs.measure();
    const double passes = layer.reads_images ? 2 : 3;
    const double flops = 2 * passes * layer.macs() * static_cast<double>(images);
    std::cout << fmt::format(
        "  {:<30} {:>5} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>6.2f}x {:>6.1f} %\n", name, count,
        1e3 * median(stock_times.forward), 1e3 * median(stock_times.backward),
        1e3 * median(our_times.forward), 1e3 * median(our_times.backward),
        stock_times.both() / our_times.both(), 100 * flops / our_times.both() / roofs.fma_rate());
    report["layers"].push_back({{"layer", name},
                                {"count", count},
                                {"torch_forward_ms", 1e3 * median(stock_times.forward)},
                                {"torch_backward_ms", 1e3 * median(stock_times.backward)},
                                {"forward_ms", 1e3 * median(our_times.forward)},
                                {"backward_ms", 1e3 * median(our_times.backward)},
                                {"share_of_fma", flops / our_times.both() / roofs.fma_rate()}});
    auto& total = kinds[layer.kind()];
    total.flops += count * flops;
    total.ours += count * our_times.both();
    total.stock += count * stock_times.both();
  }
  for (const auto& [kind, total] : kinds) {
    const double share = total.flops / total.ours / roofs.fma_rate();
    std::cout << fmt::format(
        "  all {:<12} {:>9.1f} ms by LibTorch, {:>8.1f} ms by projnce, "
        "{:.2f}x, {:.1f} % of peak\n",
        kind, 1e3 * total.stock, 1e3 * total.ours, total.stock / total.ours, 100 * share);
    report["kinds"][kind] = {
        {"torch_ms", 1e3 * total.stock}, {"ms", 1e3 * total.ours}, {"share_of_fma", share}};
  }
  std::cout << std::endl;
  return report;
}

}  // namespace projnce::bench
