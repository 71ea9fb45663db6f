#include "projnce/kernel/conv/algorithms.h"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/conv/packed_weights.h"
#include "projnce/kernel/conv/thread_group.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

using Purpose = Workspace::Purpose;

constexpr int64_t kDepth = 256;      // depth of a product whose panel stays in the L1 cache
constexpr int64_t kChunkTiles = 96;  // tiles per chunk; more would not fit the L2 cache
constexpr int64_t kBorder = 2;       // padding pixels around the tiles, both sides together

/// Number of tiles per image and of images per chunk.
struct TilePlan {
  TilePlan(const ActivationShape& shape, const PartitionPlan& partitions)
      : rows((shape.height + kWinogradOut - 1) / kWinogradOut),
        columns((shape.width + kWinogradOut - 1) / kWinogradOut),
        chunk(std::clamp<int64_t>(kChunkTiles / (rows * columns), 1, partitions.most())) {}

  int64_t per_image() const { return rows * columns; }
  int64_t most() const { return chunk * per_image(); }
  int64_t row_stride() const { return (columns * kWinogradOut + kBorder) * kChannelBlock; }
  int64_t padded_size() const { return (rows * kWinogradOut + kBorder) * row_stride(); }

  int64_t rows;
  int64_t columns;
  int64_t chunk;  // images
};

/// Returns 0, step, 2 * step, ...
std::vector<int32_t> steps(int64_t count, int64_t step) {
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i < count; ++i) offsets.push_back(static_cast<int32_t>(i * step));
  return offsets;
}

/// Pads long rows by one cache line: a power-of-two stride would cause conflicts in the L1 cache.
int64_t padded_row(int64_t channels) {
  return channels < 64 ? channels : channels + kChannelBlock;
}

/// Layout of the transformed tiles, for each of the 36 coefficients.
enum class FactorLayout {
  kRows,    ///< [tile][channels]: rows of a product
  kPanels,  ///< [blocks][tile][16]: panels or result of a product
};

/// Transformed tiles of a chunk: 36 matrices for each slot.
template <class T>
class TileFactors {
 public:
  TileFactors(const TilePlan& plan, FactorLayout layout, int64_t channels, int64_t slots,
              Purpose purpose, Workspace& workspace)
      : plan_(plan),
        tile_(layout == FactorLayout::kRows ? padded_row(blocks_of(channels) * kChannelBlock)
                                            : kChannelBlock),
        block_(layout == FactorLayout::kRows ? kChannelBlock : plan.most() * kChannelBlock),
        factor_(
            (layout == FactorLayout::kRows ? plan.most() * tile_ : blocks_of(channels) * block_) +
            kChannelBlock),
        offsets_(steps(plan.most(), tile_)),
        memory_(workspace.take<T>(purpose, slots * kWinogradFactors * factor_)) {}

  /// Transforms a block of image `index` of a chunk: its feature map, or its output gradient.
  void put_input(const T* padded, int64_t slot, int64_t index, int64_t block) const {
    kernels<T>().winograd_input(tiles(padded), place(slot, index, block));
  }
  void put_gradient(const T* padded, int64_t slot, int64_t index, int64_t block) const {
    kernels<T>().winograd_gradient(tiles(padded), place(slot, index, block));
  }

  T* of(int64_t slot, int64_t factor) const {
    return memory_ + (slot * kWinogradFactors + factor) * factor_;
  }
  /// Returns the start of a block of an image, for the first coefficient.
  T* place(int64_t slot, int64_t index, int64_t block) const {
    return of(slot, 0) + index * plan_.per_image() * tile_ + block * block_;
  }
  int64_t block_stride() const { return block_; }
  int64_t factor_stride() const { return factor_; }
  /// Offsets of the tiles.
  const int32_t* offsets() const { return offsets_.data(); }

 private:
  WinogradTiles<T> tiles(const T* padded) const {
    return {.padded = padded,
            .row_stride = plan_.row_stride(),
            .rows = plan_.rows,
            .columns = plan_.columns,
            .tile_stride = tile_,
            .factor_stride = factor_};
  }

  const TilePlan& plan_;
  int64_t tile_;
  int64_t block_;
  int64_t factor_;
  std::vector<int32_t> offsets_;
  T* memory_;
};

/// Reads feature maps into a zero-padded buffer, one per thread.
template <class T>
class PaddedMaps {
 public:
  PaddedMaps(const TilePlan& plan, Workspace& workspace)
      : plan_(plan),
        memory_(workspace.take<T>(Purpose::kPadded, omp_get_max_threads() * plan.padded_size())) {}

  /// Zeroes the padding; each thread must call it before its first load.
  void clear() const { std::fill_n(mine(), plan_.padded_size(), T(0)); }

  const T* load(const ActivationShape& shape, const InputTransform<T>& source, int64_t image,
                int64_t block) const {
    T* inside = mine() + plan_.row_stride() + kChannelBlock;
    kernels<T>().load_block(
        source.part(shape.at(image, block), block), shape.height, shape.width,
        {.to = inside, .row_stride = plan_.row_stride(), .pixel_stride = kChannelBlock});
    return mine();
  }

 private:
  T* mine() const { return memory_ + omp_get_thread_num() * plan_.padded_size(); }

  const TilePlan& plan_;
  T* memory_;
};

/// Product of transformed maps and weights: the forward pass, and with flipped weights the gradient
/// of the input.
template <class T>
class MapProduct {
 public:
  MapProduct(const TilePlan& plan, const PartitionPlan& partitions, const ActivationShape& in,
             const ActivationShape& out, Workspace& workspace)
      : plan_(plan),
        in_(in),
        out_(out),
        factors_(plan, FactorLayout::kRows, in.channels, partitions.slots(), Purpose::kFactors,
                 workspace),
        products_(plan, FactorLayout::kPanels, out.channels, partitions.slots(), Purpose::kProducts,
                  workspace) {}

  const TileFactors<T>& factors() const { return factors_; }

  void multiply(int64_t slot, int64_t factor, const Chunk& chunk, const T* weights) const {
    const int64_t depth = in_.padded_channels();
    const typename GatheredProduct<T>::Tap tap{0, 0};
    for (int64_t k = 0; k < depth; k += kDepth) {
      kernels<T>().gathered_product({.a = factors_.of(slot, factor) + k,
                                     .row_offsets = factors_.offsets(),
                                     .rows = chunk.count * plan_.per_image(),
                                     .taps = &tap,
                                     .tap_count = 1,
                                     .depth = std::min(kDepth, depth - k),
                                     .panel = weights + k * kChannelBlock,
                                     .panel_stride = depth * kChannelBlock,
                                     .blocks = out_.blocks(),
                                     .out = products_.of(slot, factor),
                                     .out_offsets = products_.offsets(),
                                     .block_stride = products_.block_stride(),
                                     .add = k > 0});
    }
  }

  void write(const ThreadGroup& threads, const Chunk& chunk, T* out,
             const Epilogue* epilogue) const {
    threads.for_each(chunk.count * out_.blocks(), [&](int64_t unit) {
      const int64_t index = unit / out_.blocks();
      const int64_t block = unit % out_.blocks();
      write_block(products_.place(threads.slot(), index, block), chunk.first + index, block, out,
                  epilogue);
    });
  }

 private:
  void write_block(const T* from, int64_t image, int64_t block, T* out,
                   const Epilogue* epilogue) const {
    for (int64_t row = 0; row < plan_.rows; ++row) {
      const int64_t first = row * kWinogradOut * out_.width;
      const int64_t height = std::min<int64_t>(kWinogradOut, out_.height - row * kWinogradOut);
      kernels<T>().winograd_output({.from = from + row * plan_.columns * kChannelBlock,
                                    .factor_stride = products_.factor_stride(),
                                    .columns = plan_.columns,
                                    .to = out + out_.at(image, block) + first * kChannelBlock,
                                    .width = out_.width,
                                    .height = height});
      if (epilogue) epilogue->run(image, block, first, height * out_.width);
    }
  }

  const TilePlan& plan_;
  const ActivationShape& in_;
  const ActivationShape& out_;
  TileFactors<T> factors_;
  TileFactors<T> products_;
};

/// Sums of products of input and gradient tiles for each partition: the gradient of the transformed
/// weights.
template <class T>
class WeightSums {
 public:
  WeightSums(const TilePlan& plan, const PartitionPlan& partitions, const ConvGeometry& geometry,
             Workspace& workspace)
      : plan_(plan),
        partitions_(partitions),
        geometry_(geometry),
        inputs_(plan, FactorLayout::kRows, geometry.in_channels, partitions.slots(),
                Purpose::kMoreFactors, workspace),
        gradients_(plan, FactorLayout::kPanels, geometry.out_channels, partitions.slots(),
                   Purpose::kPanels, workspace),
        partition_size_(weight_factors_size(geometry)),
        sums_(workspace.take<T>(Purpose::kMoreWeights, partitions.partitions() * partition_size_)) {
  }

  const TileFactors<T>& inputs() const { return inputs_; }
  const TileFactors<T>& gradients() const { return gradients_; }

  void clear(const ThreadGroup& threads, const Partition& partition) const {
    threads.for_each(kWinogradFactors, [&](int64_t factor) {
      std::fill_n(of(partition, factor), weight_factor_stride(geometry_), T(0));
    });
  }
  void add(int64_t slot, const Partition& partition, int64_t factor, const Chunk& chunk) const {
    const int64_t ins = blocks_of(geometry_.in_channels) * kChannelBlock;
    const int64_t tiles = chunk.count * plan_.per_image();
    for (int64_t k = 0; k < tiles; k += kDepth) {
      kernels<T>().gathered_outer({.a = inputs_.of(slot, factor),
                                   .depth_offsets = inputs_.offsets() + k,
                                   .depth = std::min(kDepth, tiles - k),
                                   .rows = ins,
                                   .panel = gradients_.of(slot, factor) + k * kChannelBlock,
                                   .panel_stride = gradients_.block_stride(),
                                   .blocks = blocks_of(geometry_.out_channels),
                                   .out = of(partition, factor),
                                   .block_stride = ins * kChannelBlock});
    }
  }
  /// Called by all threads.
  void write_result(T* weight_gradient) const {
    reduce_partition_sums(partitions_, sums_, partition_size_, partition_size_);
    transform_weight_gradient(geometry_, sums_, weight_gradient);
  }

 private:
  T* of(const Partition& partition, int64_t factor) const {
    return sums_ + partition.index * partition_size_ + factor * weight_factor_stride(geometry_);
  }

  const TilePlan& plan_;
  const PartitionPlan& partitions_;
  const ConvGeometry& geometry_;
  TileFactors<T> inputs_;
  TileFactors<T> gradients_;
  int64_t partition_size_;
  T* sums_;
};

/// Uses several partitions for layers with small sums.
PartitionPlan partitions_for(const ConvGeometry& geometry, const ActivationShape& in) {
  constexpr int64_t kMostBlocks = 16;
  return {in.images,
          blocks_of(geometry.in_channels) * blocks_of(geometry.out_channels) <= kMostBlocks};
}

/// Calls put(padded map, index, block) for the feature maps of a chunk.
template <class T, class Put>
void read_maps(const ThreadGroup& threads, const PaddedMaps<T>& padded,
               const ActivationShape& shape, const InputTransform<T>& source, const Chunk& chunk,
               const Put& put) {
  threads.for_each(chunk.count * shape.blocks(), [&](int64_t unit) {
    const int64_t index = unit / shape.blocks();
    const int64_t block = unit % shape.blocks();
    put(padded.load(shape, source, chunk.first + index, block), index, block);
  });
}

}  // namespace

template <class T>
void winograd_forward(const ConvForward<T>& conv, Workspace& workspace) {
  const auto& geometry = conv.geometry;
  const ActivationShape& in = conv.input.shape;
  const ActivationShape out = geometry.out_shape(in);
  const PartitionPlan partitions = partitions_for(geometry, in);
  const TilePlan plan(in, partitions);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, partitions, in, out, workspace);
  T* weights = workspace.take<T>(Purpose::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    transform_forward_weights(geometry, conv.weights, weights);
    partitions.run([&](const ThreadGroup& threads, const Partition& partition) {
      for_chunks(partition, plan.chunk, [&](const Chunk& chunk) {
        read_maps(threads, padded, in, conv.input.maps, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    product.factors().put_input(map, threads.slot(), index, block);
                  });
        threads.barrier();
        threads.for_each(kWinogradFactors, [&](int64_t factor) {
          product.multiply(threads.slot(), factor, chunk,
                           weights + factor * weight_factor_stride(geometry));
        });
        threads.barrier();
        product.write(threads, chunk, conv.out, conv.epilogue);
        threads.barrier();
      });
    });
  }
}

template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  const auto& geometry = conv.geometry;
  const ActivationShape& in = conv.input.shape;
  const ActivationShape out = geometry.out_shape(in);
  const PartitionPlan partitions = partitions_for(geometry, in);
  const TilePlan plan(in, partitions);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, partitions, out, in, workspace);
  const WeightSums<T> sums(plan, partitions, geometry, workspace);
  T* weights = workspace.take<T>(Purpose::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    transform_backward_weights(geometry, conv.weights, weights);
    partitions.run([&](const ThreadGroup& threads, const Partition& partition) {
      sums.clear(threads, partition);
      for_chunks(partition, plan.chunk, [&](const Chunk& chunk) {
        const int64_t slot = threads.slot();
        read_maps(threads, padded, out, conv.gradient, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    sums.gradients().put_gradient(map, slot, index, block);
                    product.factors().put_input(map, slot, index, block);
                  });
        read_maps(threads, padded, in, conv.input.maps, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    sums.inputs().put_input(map, slot, index, block);
                  });
        threads.barrier();
        threads.for_each(kWinogradFactors, [&](int64_t factor) {
          sums.add(slot, partition, factor, chunk);
          product.multiply(slot, factor, chunk, weights + factor * weight_factor_stride(geometry));
        });
        threads.barrier();
        product.write(threads, chunk, conv.in_gradient, conv.epilogue);
        threads.barrier();
      });
    });
    sums.write_result(conv.weight_gradient);
  }
}

template void winograd_forward(const ConvForward<float>&, Workspace&);
template void winograd_forward(const ConvForward<double>&, Workspace&);
template void winograd_backward(const ConvBackward<float>&, Workspace&);
template void winograd_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce::kernel
