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

using MicroBatch = Workspace::MicroBatch;

constexpr int64_t kDepth = 256;      // steps of a product whose panel stays in the first cache
constexpr int64_t kChunkTiles = 96;  // tiles worked on at a time: more would leave the second cache
constexpr int64_t kBorder = 2;       // pixels beside the tiles, both sides together

/// How an image is cut into tiles, and how many images make a chunk.
struct TilePlan {
  TilePlan(const ActivationShape& shape, const PartitionPlan& lanes)
      : rows((shape.height + kWinogradOut - 1) / kWinogradOut),
        columns((shape.width + kWinogradOut - 1) / kWinogradOut),
        chunk(std::clamp<int64_t>(kChunkTiles / (rows * columns), 1, lanes.most())) {}

  int64_t per_image() const { return rows * columns; }
  int64_t most() const { return chunk * per_image(); }
  int64_t row_stride() const { return (columns * kWinogradOut + kBorder) * kChannelBlock; }
  int64_t padded_size() const { return (rows * kWinogradOut + kBorder) * row_stride(); }

  int64_t rows;
  int64_t columns;
  int64_t chunk;  // images
};

/// 0, step, 2 * step, ...
std::vector<int32_t> steps(int64_t count, int64_t step) {
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i < count; ++i) offsets.push_back(static_cast<int32_t>(i * step));
  return offsets;
}

/// Long rows are set apart by a line: at a power of two their lines would share a few places of the
/// first cache.
int64_t padded_row(int64_t channels) {
  return channels < 64 ? channels : channels + kChannelBlock;
}

/// How the factors of tiles lie, for each of the 36.
enum class FactorLayout {
  kRows,    ///< [tile][channels]: rows of a product
  kPanels,  ///< [blocks][tile][16]: its panels, or its result
};

/// Factors of the tiles of a chunk: a memory of 36 matrices for each slot.
template <class T>
class TileFactors {
 public:
  TileFactors(const TilePlan& plan, FactorLayout layout, int64_t channels, int64_t slots,
              MicroBatch piece, Workspace& workspace)
      : plan_(plan),
        tile_(layout == FactorLayout::kRows ? padded_row(blocks_of(channels) * kChannelBlock)
                                            : kChannelBlock),
        block_(layout == FactorLayout::kRows ? kChannelBlock : plan.most() * kChannelBlock),
        factor_(
            (layout == FactorLayout::kRows ? plan.most() * tile_ : blocks_of(channels) * block_) +
            kChannelBlock),
        offsets_(steps(plan.most(), tile_)),
        memory_(workspace.take<T>(piece, slots * kWinogradFactors * factor_)) {}

  /// Transforms a block of the index-th image of a chunk: its map, or gradients by its outputs.
  void put_input(const T* padded, int64_t slot, int64_t index, int64_t block) const {
    kernels<T>().winograd_input(tiles(padded), place(slot, index, block));
  }
  void put_gradient(const T* padded, int64_t slot, int64_t index, int64_t block) const {
    kernels<T>().winograd_gradient(tiles(padded), place(slot, index, block));
  }

  T* of(int64_t slot, int64_t factor) const {
    return memory_ + (slot * kWinogradFactors + factor) * factor_;
  }
  /// Where a block of an image begins, for the first factor.
  T* place(int64_t slot, int64_t index, int64_t block) const {
    return of(slot, 0) + index * plan_.per_image() * tile_ + block * block_;
  }
  int64_t block_stride() const { return block_; }
  int64_t factor_stride() const { return factor_; }
  /// Of the tiles.
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

/// Reads maps into a buffer with a border of zeros, one for each thread.
template <class T>
class PaddedMaps {
 public:
  PaddedMaps(const TilePlan& plan, Workspace& workspace)
      : plan_(plan),
        memory_(
            workspace.take<T>(MicroBatch::kPadded, omp_get_max_threads() * plan.padded_size())) {}

  /// Called by every thread before its first load.
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

/// Maps times weight factors to maps: forward, and backward to the input with weights turned
/// around.
template <class T>
class MapProduct {
 public:
  MapProduct(const TilePlan& plan, const PartitionPlan& lanes, const ActivationShape& in,
             const ActivationShape& out, Workspace& workspace)
      : plan_(plan),
        in_(in),
        out_(out),
        factors_(plan, FactorLayout::kRows, in.channels, lanes.slots(), MicroBatch::kFactors,
                 workspace),
        products_(plan, FactorLayout::kPanels, out.channels, lanes.slots(), MicroBatch::kProducts,
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

  void write(const ThreadGroup& team, const Chunk& chunk, T* out, const Epilogue* finish) const {
    team.share(chunk.count * out_.blocks(), [&](int64_t unit) {
      const int64_t index = unit / out_.blocks();
      const int64_t block = unit % out_.blocks();
      write_block(products_.place(team.slot(), index, block), chunk.first + index, block, out,
                  finish);
    });
  }

 private:
  void write_block(const T* from, int64_t image, int64_t block, T* out,
                   const Epilogue* finish) const {
    for (int64_t row = 0; row < plan_.rows; ++row) {
      const int64_t first = row * kWinogradOut * out_.width;
      const int64_t height = std::min<int64_t>(kWinogradOut, out_.height - row * kWinogradOut);
      kernels<T>().winograd_output({.from = from + row * plan_.columns * kChannelBlock,
                                    .factor_stride = products_.factor_stride(),
                                    .columns = plan_.columns,
                                    .to = out + out_.at(image, block) + first * kChannelBlock,
                                    .width = out_.width,
                                    .height = height});
      if (finish) finish->run(image, block, first, height * out_.width);
    }
  }

  const TilePlan& plan_;
  const ActivationShape& in_;
  const ActivationShape& out_;
  TileFactors<T> factors_;
  TileFactors<T> products_;
};

/// Sums of products of input and gradient tiles: the gradient of the weights' factors, for each
/// lane.
template <class T>
class WeightSums {
 public:
  WeightSums(const TilePlan& plan, const PartitionPlan& lanes, const ConvGeometry& geometry,
             Workspace& workspace)
      : plan_(plan),
        lanes_(lanes),
        geometry_(geometry),
        inputs_(plan, FactorLayout::kRows, geometry.in_channels, lanes.slots(),
                MicroBatch::kMoreFactors, workspace),
        gradients_(plan, FactorLayout::kPanels, geometry.out_channels, lanes.slots(),
                   MicroBatch::kPanels, workspace),
        lane_(weight_factors_size(geometry)),
        sums_(workspace.take<T>(MicroBatch::kMoreWeights, lanes.lanes() * lane_)) {}

  const TileFactors<T>& inputs() const { return inputs_; }
  const TileFactors<T>& gradients() const { return gradients_; }

  void clear(const ThreadGroup& team, const Partition& lane) const {
    team.share(kWinogradFactors, [&](int64_t factor) {
      std::fill_n(of(lane, factor), weight_factor_stride(geometry_), T(0));
    });
  }
  void add(int64_t slot, const Partition& lane, int64_t factor, const Chunk& chunk) const {
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
                                   .out = of(lane, factor),
                                   .block_stride = ins * kChannelBlock});
    }
  }
  /// By all threads.
  void share_result(T* weight_gradient) const {
    reduce_partition_sums(lanes_, sums_, lane_, lane_);
    share_weight_gradient(geometry_, sums_, weight_gradient);
  }

 private:
  T* of(const Partition& lane, int64_t factor) const {
    return sums_ + lane.index * lane_ + factor * weight_factor_stride(geometry_);
  }

  const TilePlan& plan_;
  const PartitionPlan& lanes_;
  const ConvGeometry& geometry_;
  TileFactors<T> inputs_;
  TileFactors<T> gradients_;
  int64_t lane_;
  T* sums_;
};

/// Layers whose sums are small go in lanes.
PartitionPlan lanes_for(const ConvGeometry& geometry, const ActivationShape& in) {
  constexpr int64_t kMostBlocks = 16;
  return {in.images,
          blocks_of(geometry.in_channels) * blocks_of(geometry.out_channels) <= kMostBlocks};
}

/// Calls put(padded map, index, block) for the maps of a chunk.
template <class T, class Put>
void read_maps(const ThreadGroup& team, const PaddedMaps<T>& padded, const ActivationShape& shape,
               const InputTransform<T>& source, const Chunk& chunk, const Put& put) {
  team.share(chunk.count * shape.blocks(), [&](int64_t unit) {
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
  const PartitionPlan lanes = lanes_for(geometry, in);
  const TilePlan plan(in, lanes);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, lanes, in, out, workspace);
  T* weights = workspace.take<T>(MicroBatch::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    share_forward_factors(geometry, conv.weights, weights);
    lanes.run([&](const ThreadGroup& team, const Partition& lane) {
      for_chunks(lane, plan.chunk, [&](const Chunk& chunk) {
        read_maps(team, padded, in, conv.input.maps, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    product.factors().put_input(map, team.slot(), index, block);
                  });
        team.barrier();
        team.share(kWinogradFactors, [&](int64_t factor) {
          product.multiply(team.slot(), factor, chunk,
                           weights + factor * weight_factor_stride(geometry));
        });
        team.barrier();
        product.write(team, chunk, conv.out, conv.finish);
        team.barrier();
      });
    });
  }
}

template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  const auto& geometry = conv.geometry;
  const ActivationShape& in = conv.input.shape;
  const ActivationShape out = geometry.out_shape(in);
  const PartitionPlan lanes = lanes_for(geometry, in);
  const TilePlan plan(in, lanes);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, lanes, out, in, workspace);
  const WeightSums<T> sums(plan, lanes, geometry, workspace);
  T* weights = workspace.take<T>(MicroBatch::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    share_backward_factors(geometry, conv.weights, weights);
    lanes.run([&](const ThreadGroup& team, const Partition& lane) {
      sums.clear(team, lane);
      for_chunks(lane, plan.chunk, [&](const Chunk& chunk) {
        const int64_t slot = team.slot();
        read_maps(team, padded, out, conv.gradient, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    sums.gradients().put_gradient(map, slot, index, block);
                    product.factors().put_input(map, slot, index, block);
                  });
        read_maps(team, padded, in, conv.input.maps, chunk,
                  [&](const T* map, int64_t index, int64_t block) {
                    sums.inputs().put_input(map, slot, index, block);
                  });
        team.barrier();
        team.share(kWinogradFactors, [&](int64_t factor) {
          sums.add(slot, lane, factor, chunk);
          product.multiply(slot, factor, chunk, weights + factor * weight_factor_stride(geometry));
        });
        team.barrier();
        product.write(team, chunk, conv.in_gradient, conv.finish);
        team.barrier();
      });
    });
    sums.share_result(conv.weight_gradient);
  }
}

template void winograd_forward(const ConvForward<float>&, Workspace&);
template void winograd_forward(const ConvForward<double>&, Workspace&);
template void winograd_backward(const ConvBackward<float>&, Workspace&);
template void winograd_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce::kernel
