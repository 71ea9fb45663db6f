#include "projnce/kernel/conv/winograd.h"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "projnce/kernel/conv/block_args.h"
#include "projnce/kernel/conv/winograd_args.h"
#include "projnce/kernel/conv/winograd_weights.h"
#include "projnce/kernel/table.h"

namespace projnce {

namespace {

using Piece = Workspace::Piece;

constexpr int64_t kDepth = 256;      // steps of a product whose panel stays in the first cache
constexpr int64_t kChunkTiles = 96;  // tiles worked on at a time: more would leave the second cache
constexpr int64_t kBorder = 2;       // pixels beside the tiles, both sides together

/// How an image is cut into tiles, and how many images make a chunk.
struct TilePlan {
  explicit TilePlan(const MapShape& shape)
      : rows((shape.height + kWinogradOut - 1) / kWinogradOut),
        columns((shape.width + kWinogradOut - 1) / kWinogradOut),
        chunk(std::clamp<int64_t>(kChunkTiles / (rows * columns), 1, shape.images)) {}

  int64_t per_image() const { return rows * columns; }
  int64_t most() const { return chunk * per_image(); }
  int64_t row_stride() const { return (columns * kWinogradOut + kBorder) * kChannelBlock; }
  int64_t padded_size() const { return (rows * kWinogradOut + kBorder) * row_stride(); }

  int64_t rows;
  int64_t columns;
  int64_t chunk;  // images
};

/// Images first .. first + count - 1.
struct Chunk {
  int64_t first;
  int64_t count;
};

/// Factors of tiles as rows of a matrix for each of the 36: [36][tile][channels].
struct RowFactors {
  RowFactors(const TilePlan& plan, int64_t channels)
      : row_stride(blocks_of(channels) * kChannelBlock + kChannelBlock),
        factor_stride(plan.most() * row_stride + kChannelBlock),
        offsets(static_cast<size_t>(plan.most())) {
    for (size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = static_cast<int32_t>(static_cast<int64_t>(i) * row_stride);
    }
  }
  int64_t size() const { return kWinogradFactors * factor_stride; }

  int64_t row_stride;
  int64_t factor_stride;
  std::vector<int32_t> offsets;
};

/// Factors of tiles as panels: [36][blocks][tile][16].
struct PanelFactors {
  PanelFactors(const TilePlan& plan, int64_t channels)
      : block_stride(plan.most() * kChannelBlock),
        factor_stride(blocks_of(channels) * block_stride + kChannelBlock),
        offsets(static_cast<size_t>(plan.most())) {
    for (size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = static_cast<int32_t>(static_cast<int64_t>(i) * kChannelBlock);
    }
  }
  int64_t size() const { return kWinogradFactors * factor_stride; }

  int64_t block_stride;
  int64_t factor_stride;
  std::vector<int32_t> offsets;
};

/// Reads maps into a buffer with a border of zeros, one for each thread.
template <class T>
class PaddedMaps {
 public:
  PaddedMaps(const TilePlan& plan, Workspace& workspace)
      : plan_(plan),
        memory_(workspace.take<T>(Piece::kPadded, omp_get_max_threads() * plan.padded_size())) {}

  /// Called by every thread before its first load.
  void clear() const { std::fill_n(mine(), plan_.padded_size(), T(0)); }

  const T* load(const MapShape& shape, const MapSource<T>& source, int64_t image,
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

template <class T>
WinogradTiles<T> tiles_of(const TilePlan& plan, const T* padded, int64_t tile_stride,
                          int64_t factor_stride) {
  return {.padded = padded,
          .row_stride = plan.row_stride(),
          .rows = plan.rows,
          .columns = plan.columns,
          .tile_stride = tile_stride,
          .factor_stride = factor_stride};
}

/// Maps times weight factors to maps: forward, and backward to the input with weights turned
/// around. Its methods are called by all threads of a team.
template <class T>
class MapProduct {
 public:
  MapProduct(const TilePlan& plan, const MapShape& in, const MapShape& out, Workspace& workspace)
      : plan_(plan),
        in_(in),
        out_(out),
        rows_(plan, in.channels),
        products_(plan, out.channels),
        factors_(workspace.take<T>(Piece::kFactors, rows_.size())),
        sums_(workspace.take<T>(Piece::kProducts, products_.size())) {}

  void put(const T* padded, int64_t index, int64_t block) const {
    kernels<T>().winograd_input(
        tiles_of(plan_, padded, rows_.row_stride, rows_.factor_stride),
        factors_ + index * plan_.per_image() * rows_.row_stride + block * kChannelBlock);
  }

  void multiply(int64_t factor, const Chunk& chunk, const T* weights, int64_t weight_stride) const {
    const int64_t depth = in_.padded_channels();
    for (int64_t k = 0; k < depth; k += kDepth) {
      const typename GatheredProduct<T>::Tap tap{0, 0};
      kernels<T>().gathered_product({.a = factors_ + factor * rows_.factor_stride + k,
                                     .row_offsets = rows_.offsets.data(),
                                     .rows = chunk.count * plan_.per_image(),
                                     .taps = &tap,
                                     .tap_count = 1,
                                     .depth = std::min(kDepth, depth - k),
                                     .panel = weights + factor * weight_stride + k * kChannelBlock,
                                     .panel_stride = depth * kChannelBlock,
                                     .blocks = out_.blocks(),
                                     .out = sums_ + factor * products_.factor_stride,
                                     .out_offsets = products_.offsets.data(),
                                     .block_stride = products_.block_stride,
                                     .add = k > 0});
    }
  }

  void share_outputs(const Chunk& chunk, T* out, const MapFinish* finish) const {
#pragma omp for schedule(static)
    for (int64_t unit = 0; unit < chunk.count * out_.blocks(); ++unit) {
      const int64_t index = unit / out_.blocks();
      write_block(index, chunk.first + index, unit % out_.blocks(), out, finish);
    }
  }

 private:
  void write_block(int64_t index, int64_t image, int64_t block, T* out,
                   const MapFinish* finish) const {
    const T* from =
        sums_ + block * products_.block_stride + index * plan_.per_image() * kChannelBlock;
    for (int64_t row = 0; row < plan_.rows; ++row) {
      const int64_t first = row * kWinogradOut * out_.width;
      const int64_t height = std::min<int64_t>(kWinogradOut, out_.height - row * kWinogradOut);
      kernels<T>().winograd_output({.from = from + row * plan_.columns * kChannelBlock,
                                    .factor_stride = products_.factor_stride,
                                    .columns = plan_.columns,
                                    .to = out + out_.at(image, block) + first * kChannelBlock,
                                    .width = out_.width,
                                    .height = height});
      if (finish) finish->run(image, block, first, height * out_.width);
    }
  }

  const TilePlan& plan_;
  const MapShape& in_;
  const MapShape& out_;
  RowFactors rows_;
  PanelFactors products_;
  T* factors_;
  T* sums_;
};

template <class Work>
void for_chunks(const MapShape& shape, const TilePlan& plan, const Work& work) {
  for (int64_t first = 0; first < shape.images; first += plan.chunk) {
    work(Chunk{first, std::min(plan.chunk, shape.images - first)});
  }
}

/// Sums of products of input and gradient tiles: the gradient of the weights' factors.
template <class T>
class WeightSums {
 public:
  WeightSums(const TilePlan& plan, const ConvGeometry& geometry, Workspace& workspace)
      : plan_(plan),
        geometry_(geometry),
        rows_(plan, geometry.in_channels),
        panels_(plan, geometry.out_channels),
        inputs_(workspace.take<T>(Piece::kMoreFactors, rows_.size())),
        gradients_(workspace.take<T>(Piece::kPanels, panels_.size())),
        sums_(workspace.take<T>(Piece::kMoreWeights, weight_factors_size(geometry))) {}

  void put_input(const T* padded, int64_t index, int64_t block) const {
    kernels<T>().winograd_input(
        tiles_of(plan_, padded, rows_.row_stride, rows_.factor_stride),
        inputs_ + index * plan_.per_image() * rows_.row_stride + block * kChannelBlock);
  }
  void put_gradient(const T* padded, int64_t index, int64_t block) const {
    kernels<T>().winograd_gradient(
        tiles_of(plan_, padded, kChannelBlock, panels_.factor_stride),
        gradients_ + block * panels_.block_stride + index * plan_.per_image() * kChannelBlock);
  }

  void add(int64_t factor, const Chunk& chunk) const {
    const int64_t ins = blocks_of(geometry_.in_channels) * kChannelBlock;
    const int64_t outs = blocks_of(geometry_.out_channels);
    T* sums = sums_ + factor * weight_factor_stride(geometry_);
    if (chunk.first == 0) std::fill_n(sums, ins * outs * kChannelBlock, T(0));
    const int64_t tiles = chunk.count * plan_.per_image();
    for (int64_t k = 0; k < tiles; k += kDepth) {
      kernels<T>().gathered_outer(
          {.a = inputs_ + factor * rows_.factor_stride,
           .depth_offsets = rows_.offsets.data() + k,
           .depth = std::min(kDepth, tiles - k),
           .rows = ins,
           .panel = gradients_ + factor * panels_.factor_stride + k * kChannelBlock,
           .panel_stride = panels_.block_stride,
           .blocks = outs,
           .out = sums,
           .block_stride = ins * kChannelBlock});
    }
  }
  void share_result(T* weight_gradient) const {
    share_weight_gradient(geometry_, sums_, weight_gradient);
  }

 private:
  const TilePlan& plan_;
  const ConvGeometry& geometry_;
  RowFactors rows_;
  PanelFactors panels_;
  T* inputs_;
  T* gradients_;
  T* sums_;
};

}  // namespace

template <class T>
void winograd_forward(const ConvForward<T>& conv, Workspace& workspace) {
  const auto& geometry = conv.geometry;
  const MapShape out = geometry.out_shape(conv.input.shape);
  const TilePlan plan(conv.input.shape);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, conv.input.shape, out, workspace);
  T* weights = workspace.take<T>(Piece::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    share_forward_factors(geometry, conv.weights, weights);
    for_chunks(conv.input.shape, plan, [&](const Chunk& chunk) {
      const int64_t blocks = conv.input.shape.blocks();
#pragma omp for schedule(static)
      for (int64_t unit = 0; unit < chunk.count * blocks; ++unit) {
        const int64_t index = unit / blocks;
        const int64_t block = unit % blocks;
        product.put(padded.load(conv.input.shape, conv.input.maps, chunk.first + index, block),
                    index, block);
      }
#pragma omp for schedule(static)
      for (int64_t factor = 0; factor < kWinogradFactors; ++factor) {
        product.multiply(factor, chunk, weights, weight_factor_stride(geometry));
      }
      product.share_outputs(chunk, conv.out, conv.finish);
    });
  }
}

template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  const auto& geometry = conv.geometry;
  const MapShape out = geometry.out_shape(conv.input.shape);
  const TilePlan plan(conv.input.shape);
  const PaddedMaps<T> padded(plan, workspace);
  const MapProduct<T> product(plan, out, conv.input.shape, workspace);
  const WeightSums<T> sums(plan, geometry, workspace);
  T* weights = workspace.take<T>(Piece::kWeights, weight_factors_size(geometry));
#pragma omp parallel
  {
    padded.clear();
    if (conv.in_gradient) share_backward_factors(geometry, conv.weights, weights);
    for_chunks(conv.input.shape, plan, [&](const Chunk& chunk) {
#pragma omp for schedule(static) nowait
      for (int64_t unit = 0; unit < chunk.count * out.blocks(); ++unit) {
        const int64_t index = unit / out.blocks();
        const int64_t block = unit % out.blocks();
        const T* map = padded.load(out, conv.gradient, chunk.first + index, block);
        sums.put_gradient(map, index, block);
        if (conv.in_gradient) product.put(map, index, block);
      }
#pragma omp for schedule(static)
      for (int64_t unit = 0; unit < chunk.count * conv.input.shape.blocks(); ++unit) {
        const int64_t index = unit / conv.input.shape.blocks();
        const int64_t block = unit % conv.input.shape.blocks();
        sums.put_input(padded.load(conv.input.shape, conv.input.maps, chunk.first + index, block),
                       index, block);
      }
#pragma omp for schedule(static)
      for (int64_t factor = 0; factor < kWinogradFactors; ++factor) {
        sums.add(factor, chunk);
        if (conv.in_gradient) {
          product.multiply(factor, chunk, weights, weight_factor_stride(geometry));
        }
      }
      if (conv.in_gradient) product.share_outputs(chunk, conv.in_gradient, conv.finish);
    });
    sums.share_result(conv.weight_gradient);
  }
}

template void winograd_forward(const ConvForward<float>&, Workspace&);
template void winograd_forward(const ConvForward<double>&, Workspace&);
template void winograd_backward(const ConvBackward<float>&, Workspace&);
template void winograd_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce
