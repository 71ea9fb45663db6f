#include "projnce/kernel/conv/algorithms.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/conv/packed_weights.h"
#include "projnce/kernel/conv/pixel_rows.h"
#include "projnce/kernel/conv/thread_group.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

using Purpose = Workspace::Purpose;

constexpr int64_t kDepth = 256;  // depth of a product whose panel stays in the L1 cache

/// Returns the offsets of the pixels of a group's images in a block of feature maps.
std::vector<int32_t> pixel_offsets(const ActivationShape& shape, int64_t images) {
  std::vector<int32_t> offsets;
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t i = 0; i < shape.pixels(); ++i) {
      offsets.push_back(offset32(shape.at(image, 0) + i * kChannelBlock));
    }
  }
  return offsets;
}

/// Computes a product over many taps, split so that the panels stay in the L1 cache.
template <class T>
void multiply_taps(GatheredProduct<T> product) {
  const int64_t together = std::max<int64_t>(1, kDepth / product.depth);
  const auto* taps = product.taps;
  const int64_t count = product.tap_count;
  for (int64_t first = 0; first < count; first += together) {
    product.taps = taps + first;
    product.tap_count = std::min(together, count - first);
    kernels<T>().gathered_product(product);
    product.add = true;
  }
}

/// Input pixels with the same phase (y = stride * row + phase_y, and the same for x) are covered by
/// the same kernel positions; their gradients are one product.
template <class T>
struct Phase {
  std::vector<int32_t> rows;  // offsets in the gradient's rows, for a group's images
  std::vector<int32_t> outs;  // offsets in the input's feature maps
  std::vector<typename GatheredProduct<T>::Tap> taps;
};

/// Computes the gradient of the input from that of the output.
template <class T>
class InputGradient {
 public:
  InputGradient(const DirectPlan& plan, Workspace& workspace)
      : plan_(plan),
        geometry_(plan.geometry),
        in_(plan.in),
        out_(plan.out),
        margin_(geometry_.kernel / geometry_.stride),
        rows_(out_, plan.chunk, plan.partitions.slots(), out_.padded_channels() + kChannelBlock,
              margin_, Purpose::kMoreFactors, workspace),
        panels_(workspace.take<T>(Purpose::kWeights, in_.blocks() * panel_stride())) {
    for (int64_t y = 0; y < geometry_.stride; ++y) {
      for (int64_t x = 0; x < geometry_.stride; ++x) phases_.push_back(make_phase(y, x));
    }
  }

  void clear() const { rows_.clear(); }
  void pack_panels(const T* weights) const { pack_backward_panels(geometry_, weights, panels_); }
  void load(const InputTransform<T>& gradient, int64_t image, int64_t slot, int64_t index,
            int64_t block) const {
    rows_.load(gradient, image, slot, index, block);
  }

  void write(const ThreadGroup& threads, const Chunk& chunk, T* in_gradient,
             const Epilogue* epilogue) const {
    plan_.for_groups(threads, chunk, [&](int64_t first, int64_t count) {
      const int64_t image = chunk.first + first;
      for (const auto& phase : phases_) {
        write_phase(phase, count, rows_.of(threads.slot(), first), in_gradient + in_.at(image, 0));
      }
      for (int64_t i = 0; epilogue && i < count; ++i) {
        for (int64_t block = 0; block < in_.blocks(); ++block) {
          epilogue->run(image + i, block, 0, in_.pixels());
        }
      }
    });
  }

 private:
  int64_t panel_stride() const {
    return geometry_.kernel * geometry_.kernel * out_.padded_channels() * kChannelBlock;
  }

  /// Input row y contributes to output row (y + padding - k) / stride through kernel row k.
  bool meets(int64_t phase, int64_t k) const {
    return (phase + geometry_.padding() - k) % geometry_.stride == 0;
  }
  int64_t shift(int64_t phase, int64_t k) const {
    return (phase + geometry_.padding() - k) / geometry_.stride + margin_;
  }

  Phase<T> make_phase(int64_t phase_y, int64_t phase_x) const {
    const int64_t stride = geometry_.stride;
    const int64_t panel = out_.padded_channels() * kChannelBlock;
    Phase<T> phase;
    for (int64_t image = 0; image < plan_.group; ++image) {
      for (int64_t y = phase_y; y < in_.height; y += stride) {
        for (int64_t x = phase_x; x < in_.width; x += stride) {
          phase.rows.push_back(
              offset32(image * rows_.image_stride() + rows_.to(y / stride, x / stride)));
          phase.outs.push_back(offset32(in_.at(image, 0) + (y * in_.width + x) * kChannelBlock));
        }
      }
    }
    for (int64_t ky = 0; ky < geometry_.kernel; ++ky) {
      for (int64_t kx = 0; kx < geometry_.kernel; ++kx) {
        if (!meets(phase_y, ky) || !meets(phase_x, kx)) continue;
        phase.taps.push_back({offset32(rows_.to(shift(phase_y, ky), shift(phase_x, kx))),
                              offset32((ky * geometry_.kernel + kx) * panel)});
      }
    }
    return phase;
  }

  /// Writes the gradient for the first `images` of a group.
  void write_phase(const Phase<T>& phase, int64_t images, const T* rows, T* to) const {
    const int64_t pixels = static_cast<int64_t>(phase.rows.size()) / plan_.group * images;
    if (phase.taps.empty()) return clear_phase(phase, pixels, to);
    multiply_taps<T>({.a = rows,
                      .row_offsets = phase.rows.data(),
                      .rows = pixels,
                      .taps = phase.taps.data(),
                      .tap_count = static_cast<int64_t>(phase.taps.size()),
                      .depth = out_.padded_channels(),
                      .panel = panels_,
                      .panel_stride = panel_stride(),
                      .blocks = in_.blocks(),
                      .out = to,
                      .out_offsets = phase.outs.data(),
                      .block_stride = in_.block_size(),
                      .add = false});
  }
  void clear_phase(const Phase<T>& phase, int64_t pixels, T* to) const {
    for (int64_t block = 0; block < in_.blocks(); ++block) {
      for (int64_t i = 0; i < pixels; ++i) {
        std::fill_n(to + block * in_.block_size() + phase.outs[static_cast<size_t>(i)],
                    kChannelBlock, T(0));
      }
    }
  }

  const DirectPlan& plan_;
  ConvGeometry geometry_;
  ActivationShape in_;
  ActivationShape out_;
  int64_t margin_;  // width of the zero padding around the gradient
  PixelRows<T> rows_;
  T* panels_;
  std::vector<Phase<T>> phases_;
};

/// Computes the gradient of the weights: sums [out blocks][taps][depth][16] for each partition,
/// from the output gradients stored as panels of all pixels of a chunk, [out blocks][pixels][16],
/// for each slot.
template <class T>
class WeightGradient {
 public:
  WeightGradient(const DirectPlan& plan, const KernelRows<T>& rows, Workspace& workspace)
      : plan_(plan),
        rows_(rows),
        block_(plan.chunk * plan.out.block_size()),
        slot_(plan.out.blocks() * block_),
        partition_size_(plan.out.blocks() * rows.panel_size()),
        panels_(workspace.take<T>(Purpose::kPanels, plan.partitions.slots() * slot_)),
        sums_(workspace.take<T>(Purpose::kMoreWeights,
                                plan.partitions.partitions() * partition_size_)) {}

  void load(const InputTransform<T>& gradient, int64_t image, int64_t slot, int64_t index,
            int64_t block) const {
    const auto& out = plan_.out;
    T* to = panels_ + slot * slot_ + block * block_ + index * out.block_size();
    kernels<T>().load_block(gradient.part(out.at(image, block), block), /*height=*/1, out.pixels(),
                            {.to = to, .row_stride = 0, .pixel_stride = kChannelBlock});
  }

  void clear(const ThreadGroup& threads, const Partition& partition) const {
    threads.for_each(plan_.out.blocks(), [&](int64_t block) {
      std::fill_n(sums_ + partition.index * partition_size_ + block * rows_.panel_size(),
                  rows_.panel_size(), T(0));
    });
    threads.barrier();
  }
  void add(const ThreadGroup& threads, const Partition& partition, const Chunk& chunk) const {
    const int64_t groups = (plan_.out.blocks() + kGroup - 1) / kGroup;
    threads.for_each(rows_.plan().taps * groups, [&](int64_t unit) {
      add_tap(threads.slot(), partition, unit / groups, unit % groups * kGroup, chunk);
    });
  }
  /// Called by all threads.
  void write_result(T* weight_gradient) const {
    reduce_partition_sums(plan_.partitions, sums_, partition_size_, partition_size_);
    unpack_panel_gradient(plan_.geometry, rows_.plan(), sums_, weight_gradient);
  }

 private:
  /// Handles up to kGroup blocks of outputs.
  void add_tap(int64_t slot, const Partition& partition, int64_t tap, int64_t block,
               const Chunk& chunk) const {
    const int64_t depth = rows_.plan().depth;
    const int64_t pixels = chunk.count * plan_.out.pixels();
    for (int64_t k = 0; k < pixels; k += kDepth) {
      kernels<T>().gathered_outer(
          {.a = rows_.of(slot) + rows_.taps()[static_cast<size_t>(tap)].offset,
           .depth_offsets = rows_.offsets() + k,
           .depth = std::min(kDepth, pixels - k),
           .rows = depth,
           .panel = panels_ + slot * slot_ + block * block_ + k * kChannelBlock,
           .panel_stride = block_,
           .blocks = std::min(kGroup, plan_.out.blocks() - block),
           .out = sums_ + partition.index * partition_size_ + block * rows_.panel_size() +
                  tap * depth * kChannelBlock,
           .block_stride = rows_.panel_size()});
    }
  }

  static constexpr int64_t kGroup = 4;  // output blocks per unit of work

  const DirectPlan& plan_;
  const KernelRows<T>& rows_;
  int64_t block_;
  int64_t slot_;
  int64_t partition_size_;
  T* panels_;
  T* sums_;
};

}  // namespace

template <class T>
void direct_forward(const ConvForward<T>& conv, Workspace& workspace) {
  const DirectPlan plan(conv.geometry, conv.input.shape);
  const ActivationShape& out = plan.out;
  const KernelRows<T> rows(plan, conv.input, workspace);
  T* panels = workspace.take<T>(Purpose::kWeights, out.blocks() * rows.panel_size());
  const auto out_offsets = pixel_offsets(out, plan.group);
  const auto multiply = [&](int64_t slot, int64_t index, int64_t image, int64_t count) {
    multiply_taps<T>({.a = rows.of(slot),
                      .row_offsets = rows.offsets() + index * out.pixels(),
                      .rows = count * out.pixels(),
                      .taps = rows.taps().data(),
                      .tap_count = rows.plan().taps,
                      .depth = rows.plan().depth,
                      .panel = panels,
                      .panel_stride = rows.panel_size(),
                      .blocks = out.blocks(),
                      .out = conv.out + out.at(image, 0),
                      .out_offsets = out_offsets.data(),
                      .block_stride = out.block_size(),
                      .add = false});
    for (int64_t i = 0; conv.epilogue && i < count; ++i) {
      for (int64_t block = 0; block < out.blocks(); ++block) {
        conv.epilogue->run(image + i, block, 0, out.pixels());
      }
    }
  };
#pragma omp parallel
  {
    rows.clear();
    pack_forward_panels(conv.geometry, rows.plan(), conv.weights, panels);
    plan.partitions.run([&](const ThreadGroup& threads, const Partition& partition) {
      for_chunks(partition, plan.chunk, [&](const Chunk& chunk) {
        rows.load(threads, chunk);
        threads.barrier();
        plan.for_groups(threads, chunk, [&](int64_t first, int64_t count) {
          multiply(threads.slot(), first, chunk.first + first, count);
        });
        threads.barrier();
      });
    });
  }
}

template <class T>
void direct_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  const DirectPlan plan(conv.geometry, conv.input.shape);
  const int64_t blocks = plan.out.blocks();
  const KernelRows<T> rows(plan, conv.input, workspace);
  const WeightGradient<T> to_weights(plan, rows, workspace);
  std::optional<InputGradient<T>> to_input;
  if (conv.in_gradient) to_input.emplace(plan, workspace);
#pragma omp parallel
  {
    rows.clear();
    if (to_input) {
      to_input->clear();
      to_input->pack_panels(conv.weights);
    }
    plan.partitions.run([&](const ThreadGroup& threads, const Partition& partition) {
      to_weights.clear(threads, partition);
      for_chunks(partition, plan.chunk, [&](const Chunk& chunk) {
        threads.for_each(chunk.count * blocks, [&](int64_t unit) {
          const int64_t index = unit / blocks;
          const int64_t image = chunk.first + index;
          to_weights.load(conv.gradient, image, threads.slot(), index, unit % blocks);
          if (to_input) to_input->load(conv.gradient, image, threads.slot(), index, unit % blocks);
        });
        rows.load(threads, chunk);
        threads.barrier();
        to_weights.add(threads, partition, chunk);
        if (to_input) to_input->write(threads, chunk, conv.in_gradient, conv.epilogue);
        threads.barrier();
      });
    });
    to_weights.write_result(conv.weight_gradient);
  }
}

template void direct_forward(const ConvForward<float>&, Workspace&);
template void direct_forward(const ConvForward<double>&, Workspace&);
template void direct_backward(const ConvBackward<float>&, Workspace&);
template void direct_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce::kernel
