#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/conv/packed_weights.h"
#include "projnce/kernel/conv/thread_group.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

/// Narrows an offset inside a chunk's memory, which always fits into 32 bits.
inline int32_t offset32(int64_t offset) {
  return static_cast<int32_t>(offset);
}

/// Images with interleaved channels and zero padding, one chunk per slot.
template <class T>
class PixelRows {
 public:
  PixelRows(const ActivationShape& shape, int64_t chunk, int64_t slots, int64_t channels,
            int64_t margin, Workspace::Purpose purpose, Workspace& workspace)
      : shape_(shape),
        margin_(margin),
        pixel_(channels),
        row_((shape.width + 2 * margin) * pixel_),
        image_((shape.height + 2 * margin) * row_),
        slot_(chunk * image_),
        slots_(slots),
        memory_(nullptr) {
    if (slot_ > std::numeric_limits<int32_t>::max()) {
      fail(Hint{"use smaller inputs, or encoder.engine = 'torch'"}, "inputs of ", shape.height,
           " x ", shape.width, " with ", shape.channels,
           " channels are too large for the native engine");
    }
    memory_ = workspace.take<T>(purpose, slots * slot_);
  }

  const T* of(int64_t slot, int64_t index) const { return memory_ + slot * slot_ + index * image_; }
  int64_t image_stride() const { return image_; }
  /// Offset of a pixel, counted from the padded origin.
  int64_t to(int64_t y, int64_t x) const { return y * row_ + x * pixel_; }

  /// Sets everything to 0, including the padding. Called by all threads.
  void clear() const {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < slots_ * slot_ / image_; ++i) {
      std::fill_n(memory_ + i * image_, image_, T(0));
    }
  }
  void load(const InputTransform<T>& maps, int64_t image, int64_t slot, int64_t index,
            int64_t block) const {
    T* inside = inside_of(slot, index) + block * kChannelBlock;
    kernels<T>().load_block(maps.part(shape_.at(image, block), block), shape_.height, shape_.width,
                            {.to = inside, .row_stride = row_, .pixel_stride = pixel_});
  }
  void load(const T* images, int64_t image, int64_t slot, int64_t index) const {
    const int64_t length = shape_.width * pixel_;
    const T* from = images + image * shape_.height * length;
    T* inside = inside_of(slot, index);
    for (int64_t y = 0; y < shape_.height; ++y) {
      std::copy_n(from + y * length, length, inside + y * row_);
    }
  }

 private:
  T* inside_of(int64_t slot, int64_t index) const {
    return memory_ + slot * slot_ + index * image_ + to(margin_, margin_);
  }

  ActivationShape shape_;
  int64_t margin_;
  int64_t pixel_;
  int64_t row_;
  int64_t image_;
  int64_t slot_;
  int64_t slots_;
  T* memory_;
};

/// Sizes and partitioning of one direct convolution.
struct DirectPlan {
  static constexpr int64_t kChunkPixels = 1024;  // output pixels per chunk
  static constexpr int64_t kFewestImages = 8;    // minimum images per chunk if all threads share it
  static constexpr int64_t kMostBlocks = 32;     // maximum block pairs for several partitions
  static constexpr int64_t kGroupPixels = 96;    // output pixels per product

  DirectPlan(const ConvGeometry& conv, const ActivationShape& input)
      : geometry(conv),
        in(input),
        out(conv.out_shape(input)),
        partitions(in.images,
                   blocks_of(conv.in_channels) * blocks_of(conv.out_channels) <= kMostBlocks),
        chunk(std::clamp<int64_t>(kChunkPixels / out.pixels(), 1, partitions.most())) {
    if (partitions.partitions() == 1) chunk = std::min(std::max(chunk, kFewestImages), in.images);
    group = std::min(chunk, (kGroupPixels + out.pixels() - 1) / out.pixels());
  }

  /// Calls work(first, count) for this thread's groups of a chunk's images.
  template <class Work>
  void for_groups(const ThreadGroup& threads, const Chunk& images, const Work& work) const {
    threads.for_each((images.count + group - 1) / group, [&](int64_t unit) {
      const int64_t first = unit * group;
      work(first, std::min(group, images.count - first));
    });
  }

  ConvGeometry geometry;
  ActivationShape in;
  ActivationShape out;
  PartitionPlan partitions;
  int64_t chunk;  // images
  int64_t group;  // images per product; a single small image would not fill the tiles
};

/// The input of a convolution as rows of pixels, with the offsets of the kernel positions.
template <class T>
class KernelRows {
 public:
  KernelRows(const DirectPlan& plan, const ConvInput<T>& input, Workspace& workspace)
      : input_(input),
        taps_plan_(plan.geometry, input.images != nullptr),
        rows_(plan.in, plan.chunk, plan.partitions.slots(),
              taps_plan_.channels + (input.images ? 0 : kChannelBlock), plan.geometry.padding(),
              Workspace::Purpose::kFactors, workspace) {
    const int64_t kernel = plan.geometry.kernel;
    const int64_t stride = plan.geometry.stride;
    for (int64_t tap = 0; tap < taps_plan_.taps; ++tap) {
      const int64_t place = tap * taps_plan_.places;
      taps_.push_back({offset32(rows_.to(place / kernel, place % kernel)),
                       offset32(tap * taps_plan_.depth * kChannelBlock)});
    }
    for (int64_t image = 0; image < plan.chunk; ++image) {
      for (int64_t y = 0; y < plan.out.height; ++y) {
        for (int64_t x = 0; x < plan.out.width; ++x) {
          offsets_.push_back(
              offset32(image * rows_.image_stride() + rows_.to(y * stride, x * stride)));
        }
      }
    }
  }

  const TapPlan& plan() const { return taps_plan_; }
  int64_t panel_size() const { return taps_plan_.taps * taps_plan_.depth * kChannelBlock; }
  const T* of(int64_t slot) const { return rows_.of(slot, 0); }
  const auto& taps() const { return taps_; }
  /// Offset of the kernel origin for each output pixel of the chunk's images.
  const int32_t* offsets() const { return offsets_.data(); }

  void clear() const { rows_.clear(); }
  void load(const ThreadGroup& threads, const Chunk& chunk) const {
    const int64_t blocks = input_.images ? 1 : input_.shape.blocks();
    threads.for_each(chunk.count * blocks, [&](int64_t unit) {
      const int64_t index = unit / blocks;
      if (input_.images) {
        rows_.load(input_.images, chunk.first + index, threads.slot(), index);
      } else {
        rows_.load(input_.maps, chunk.first + index, threads.slot(), index, unit % blocks);
      }
    });
  }

 private:
  const ConvInput<T>& input_;
  TapPlan taps_plan_;
  PixelRows<T> rows_;
  std::vector<typename GatheredProduct<T>::Tap> taps_;
  std::vector<int32_t> offsets_;
};

}  // namespace projnce::kernel
