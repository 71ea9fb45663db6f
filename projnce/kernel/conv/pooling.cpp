#include "projnce/kernel/conv/pooling.h"

#include <omp.h>

#include <algorithm>

#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Thread-local buffer of one block of feature maps.
template <class T>
class ThreadBlock {
 public:
  ThreadBlock(const ActivationShape& shape, Workspace& workspace)
      : shape_(shape),
        memory_(workspace.take<T>(Workspace::Purpose::kPadded,
                                  omp_get_max_threads() * shape.block_size())) {}

  const T* load(const InputTransform<T>& source, int64_t image, int64_t block) const {
    T* to = memory_ + omp_get_thread_num() * shape_.block_size();
    kernels<T>().load_block(source.part(shape_.at(image, block), block), /*height=*/1,
                            shape_.pixels(),
                            {.to = to, .row_stride = 0, .pixel_stride = kChannelBlock});
    return to;
  }

 private:
  const ActivationShape& shape_;
  T* memory_;
};

ActivationShape pooled_shape(const PoolGeometry& geometry, const ActivationShape& shape) {
  return {shape.images, shape.channels, geometry.out_side(shape.height),
          geometry.out_side(shape.width)};
}

template <class Work>
void for_blocks_of_images(const ActivationShape& shape, const Work& work) {
#pragma omp parallel for schedule(static)
  for (int64_t unit = 0; unit < shape.images * shape.blocks(); ++unit) {
    work(unit / shape.blocks(), unit % shape.blocks());
  }
}

/// Rows or columns of one grid cell.
struct Cell {
  Cell(int64_t index, int64_t grid, int64_t side)
      : first(index * side / grid), end(((index + 1) * side + grid - 1) / grid) {}
  int64_t size() const { return end - first; }
  int64_t first;
  int64_t end;
};

/// Calls visit(feature, rows, columns) for the grid cells of a channel.
template <class Visit>
void for_cells(const ActivationShape& shape, int64_t grid, const Visit& visit) {
  for (int64_t y = 0; y < grid; ++y) {
    for (int64_t x = 0; x < grid; ++x) {
      visit(y * grid + x, Cell(y, grid, shape.height), Cell(x, grid, shape.width));
    }
  }
}

/// Number of channels of a block, without padding.
int64_t channels_in_block(const ActivationShape& shape, int64_t block) {
  return std::min(kChannelBlock, shape.channels - block * kChannelBlock);
}

}  // namespace

template <class T>
void max_pool_maps(const PoolGeometry& geometry, const ActivationShape& shape,
                   const InputTransform<T>& source, T* out, Workspace& workspace) {
  const ActivationShape pooled = pooled_shape(geometry, shape);
  const ThreadBlock<T> own(shape, workspace);
  for_blocks_of_images(shape, [&](int64_t image, int64_t block) {
    kernels<T>().max_pool({.geometry = geometry,
                           .height = shape.height,
                           .width = shape.width,
                           .values = own.load(source, image, block),
                           .out = out + pooled.at(image, block)});
  });
}

template <class T>
void max_pool_backward(const PoolGeometry& geometry, const ActivationShape& shape,
                       const InputTransform<T>& source, const T* out, const T* out_gradient,
                       T* gradient, const Epilogue& epilogue, Workspace& workspace) {
  const ActivationShape pooled = pooled_shape(geometry, shape);
  const ThreadBlock<T> own(shape, workspace);
  for_blocks_of_images(shape, [&](int64_t image, int64_t block) {
    T* to = gradient + shape.at(image, block);
    std::fill_n(to, shape.block_size(), T(0));
    kernels<T>().add_pool_gradient({.geometry = geometry,
                                    .height = shape.height,
                                    .width = shape.width,
                                    .values = own.load(source, image, block),
                                    .out = const_cast<T*>(out) + pooled.at(image, block)},
                                   out_gradient + pooled.at(image, block), to);
    epilogue.run(image, block, 0, shape.pixels());
  });
}

template <class T>
void adaptive_avg_pool(const ActivationShape& shape, const InputTransform<T>& source, int64_t grid,
                       T* features, Workspace& workspace) {
  const ThreadBlock<T> own(shape, workspace);
  const int64_t cells = grid * grid;
  for_blocks_of_images(shape, [&](int64_t image, int64_t block) {
    const T* values = own.load(source, image, block);
    T* to = features + (image * shape.channels + block * kChannelBlock) * cells;
    for_cells(shape, grid, [&](int64_t cell, const Cell& rows, const Cell& columns) {
      T sums[kChannelBlock] = {};
      for (int64_t y = rows.first; y < rows.end; ++y) {
        for (int64_t x = columns.first; x < columns.end; ++x) {
          const T* pixel = values + (y * shape.width + x) * kChannelBlock;
          for (int64_t i = 0; i < kChannelBlock; ++i) sums[i] += pixel[i];
        }
      }
      const T count = static_cast<T>(rows.size() * columns.size());
      for (int64_t i = 0; i < channels_in_block(shape, block); ++i)
        to[i * cells + cell] = sums[i] / count;
    });
  });
}

template <class T>
void adaptive_avg_pool_backward(const ActivationShape& shape, const T* feature_gradient,
                                int64_t grid, T* gradient, const Epilogue* epilogue) {
  const int64_t cells = grid * grid;
  for_blocks_of_images(shape, [&](int64_t image, int64_t block) {
    T* to = gradient + shape.at(image, block);
    std::fill_n(to, shape.block_size(), T(0));
    const T* from = feature_gradient + (image * shape.channels + block * kChannelBlock) * cells;
    for_cells(shape, grid, [&](int64_t cell, const Cell& rows, const Cell& columns) {
      T value[kChannelBlock] = {};
      const T count = static_cast<T>(rows.size() * columns.size());
      for (int64_t i = 0; i < channels_in_block(shape, block); ++i)
        value[i] = from[i * cells + cell] / count;
      for (int64_t y = rows.first; y < rows.end; ++y) {
        for (int64_t x = columns.first; x < columns.end; ++x) {
          T* pixel = to + (y * shape.width + x) * kChannelBlock;
          for (int64_t i = 0; i < kChannelBlock; ++i) pixel[i] += value[i];
        }
      }
    });
    if (epilogue) epilogue->run(image, block, 0, shape.pixels());
  });
}

#define PROJNCE_POOLING(T)                                                                       \
  template void max_pool_maps(const PoolGeometry&, const ActivationShape&,                       \
                              const InputTransform<T>&, T*, Workspace&);                         \
  template void max_pool_backward(const PoolGeometry&, const ActivationShape&,                   \
                                  const InputTransform<T>&, const T*, const T*, T*,              \
                                  const Epilogue&, Workspace&);                                  \
  template void adaptive_avg_pool(const ActivationShape&, const InputTransform<T>&, int64_t, T*, \
                                  Workspace&);                                                   \
  template void adaptive_avg_pool_backward(const ActivationShape&, const T*, int64_t, T*,        \
                                           const Epilogue*);
PROJNCE_POOLING(float)
PROJNCE_POOLING(double)
#undef PROJNCE_POOLING

}  // namespace projnce::kernel
