#include "projnce/kernel/conv/direct.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "projnce/kernel/conv/block_args.h"
#include "projnce/kernel/conv/direct_weights.h"
#include "projnce/kernel/table.h"

namespace projnce {

namespace {

using Piece = Workspace::Piece;

constexpr int64_t kDepth = 256;         // steps of a product whose panel stays in the first cache
constexpr int64_t kChunkPixels = 2048;  // of the output, worked on at a time
constexpr int64_t kFewestImages = 8;    // of a chunk, so that all threads have some

int32_t offset32(int64_t offset) {
  return static_cast<int32_t>(offset);
}

int64_t images_of_chunk(const MapShape& out) {
  const int64_t wanted = std::max(kFewestImages, kChunkPixels / out.pixels());
  return std::min(wanted, out.images);
}

/// Images with their channels side by side and a margin of zeros around them.
template <class T>
class PixelRows {
 public:
  PixelRows(const MapShape& shape, int64_t images, int64_t channels, int64_t before, int64_t after)
      : shape_(shape),
        before_(before),
        pixel_(channels),
        row_((shape.width + before + after) * pixel_),
        image_((shape.height + before + after) * row_),
        images_(images) {}

  int64_t size() const { return images_ * image_; }
  void place(T* memory) { memory_ = memory; }
  const T* data() const { return memory_; }
  int64_t image_stride() const { return image_; }
  /// From the first pixel with its margin to another one.
  int64_t to(int64_t y, int64_t x) const { return y * row_ + x * pixel_; }

  /// By all threads: zeros everywhere, so that margins have them.
  void share_clear() const {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < images_; ++i) std::fill_n(memory_ + i * image_, image_, T(0));
  }
  void load(const MapSource<T>& maps, int64_t image, int64_t index, int64_t block) const {
    T* inside = memory_ + index * image_ + to(before_, before_) + block * kChannelBlock;
    kernels<T>().load_block(maps.part(shape_.at(image, block), block), shape_.height, shape_.width,
                            {.to = inside, .row_stride = row_, .pixel_stride = pixel_});
  }
  void load(const T* images, int64_t image, int64_t index) const {
    const int64_t length = shape_.width * pixel_;
    const T* from = images + image * shape_.height * length;
    for (int64_t y = 0; y < shape_.height; ++y) {
      std::copy_n(from + y * length, length, memory_ + index * image_ + to(before_ + y, before_));
    }
  }

 private:
  MapShape shape_;
  int64_t before_;
  int64_t pixel_;
  int64_t row_;
  int64_t image_;
  int64_t images_;
  T* memory_ = nullptr;
};

/// Images first .. first + count - 1.
struct Chunk {
  int64_t first;
  int64_t count;
};

template <class Work>
void for_chunks(int64_t images, int64_t chunk, const Work& work) {
  for (int64_t first = 0; first < images; first += chunk) {
    work(Chunk{first, std::min(chunk, images - first)});
  }
}

/// The input of a convolution as rows of pixels, and where its kernel falls in them.
template <class T>
class KernelRows {
 public:
  KernelRows(const ConvGeometry& geometry, const ConvInput<T>& input, int64_t chunk,
             Workspace& workspace)
      : geometry_(geometry),
        input_(input),
        out_(geometry.out_shape(input.shape)),
        plan_(geometry, input.images != nullptr),
        rows_(input.shape, chunk, plan_.channels + (input.images ? 0 : kChannelBlock),
              geometry.padding(), geometry.padding()) {
    rows_.place(workspace.take<T>(Piece::kFactors, rows_.size()));
    for (int64_t tap = 0; tap < plan_.taps; ++tap) {
      const int64_t place = tap * plan_.places;
      taps_.push_back({offset32(rows_.to(place / geometry.kernel, place % geometry.kernel)),
                       offset32(tap * plan_.depth * kChannelBlock)});
    }
    for (int64_t image = 0; image < chunk; ++image) {
      for (int64_t y = 0; y < out_.height; ++y) {
        for (int64_t x = 0; x < out_.width; ++x) {
          offsets_.push_back(offset32(image * rows_.image_stride() +
                                      rows_.to(y * geometry.stride, x * geometry.stride)));
        }
      }
    }
  }

  const TapPlan& plan() const { return plan_; }
  int64_t panel_size() const { return plan_.taps * plan_.depth * kChannelBlock; }
  const T* data() const { return rows_.data(); }
  const auto& taps() const { return taps_; }
  /// Where the kernel begins, for each pixel of the output of the chunk's images.
  const int32_t* offsets() const { return offsets_.data(); }

  void share_clear() const { rows_.share_clear(); }
  void share_load(const Chunk& chunk) const {
    const int64_t blocks = input_.images ? 1 : input_.shape.blocks();
#pragma omp for schedule(static)
    for (int64_t unit = 0; unit < chunk.count * blocks; ++unit) {
      const int64_t index = unit / blocks;
      if (input_.images) {
        rows_.load(input_.images, chunk.first + index, index);
      } else {
        rows_.load(input_.maps, chunk.first + index, index, unit % blocks);
      }
    }
  }

 private:
  const ConvGeometry& geometry_;
  const ConvInput<T>& input_;
  MapShape out_;
  TapPlan plan_;
  PixelRows<T> rows_;
  std::vector<typename GatheredProduct<T>::Tap> taps_;
  std::vector<int32_t> offsets_;
};

/// 0, 16, 32, ...: pixels of a block that follow each other.
std::vector<int32_t> pixel_offsets(int64_t pixels) {
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i < pixels; ++i) offsets.push_back(offset32(i * kChannelBlock));
  return offsets;
}

/// A product over many taps in pieces whose panels stay in the first cache.
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

/// Pixels of the input of one phase, y = s * row + phase_y and x likewise, meet the same places of
/// the kernel; their gradients are one product.
template <class T>
struct Phase {
  std::vector<int32_t> rows;  // in the gradient's rows
  std::vector<int32_t> outs;  // in the input's maps
  std::vector<typename GatheredProduct<T>::Tap> taps;
};

/// Gradients by the input, from gradients by the output.
template <class T>
class InputGradient {
 public:
  InputGradient(const ConvGeometry& geometry, const MapShape& in, int64_t chunk,
                Workspace& workspace)
      : geometry_(geometry),
        in_(in),
        out_(geometry.out_shape(in)),
        margin_(geometry.kernel / geometry.stride),
        rows_(out_, chunk, out_.padded_channels() + kChannelBlock, margin_, margin_),
        panels_(workspace.take<T>(Piece::kWeights, in.blocks() * panel_stride())) {
    rows_.place(workspace.take<T>(Piece::kMoreFactors, rows_.size()));
    for (int64_t y = 0; y < geometry.stride; ++y) {
      for (int64_t x = 0; x < geometry.stride; ++x) phases_.push_back(make_phase(y, x));
    }
  }

  void share_clear() const { rows_.share_clear(); }
  void share_panels(const T* weights) const { share_backward_panels(geometry_, weights, panels_); }
  void load(const MapSource<T>& gradient, int64_t image, int64_t index, int64_t block) const {
    rows_.load(gradient, image, index, block);
  }

  void write(int64_t image, int64_t index, T* in_gradient, const MapFinish* finish) const {
    T* to = in_gradient + in_.at(image, 0);
    for (const auto& phase : phases_) write_phase(phase, index, to);
    if (!finish) return;
    for (int64_t block = 0; block < in_.blocks(); ++block) {
      finish->run(image, block, 0, in_.pixels());
    }
  }

 private:
  int64_t panel_stride() const {
    return geometry_.kernel * geometry_.kernel * out_.padded_channels() * kChannelBlock;
  }

  Phase<T> make_phase(int64_t phase_y, int64_t phase_x) const {
    const int64_t stride = geometry_.stride;
    const int64_t panel = out_.padded_channels() * kChannelBlock;
    // Row y of the input meets row (y + padding - k) / stride of the output.
    const auto meets = [&](int64_t phase, int64_t k) {
      return (phase + geometry_.padding() - k) % stride == 0;
    };
    const auto shift = [&](int64_t phase, int64_t k) {
      return (phase + geometry_.padding() - k) / stride + margin_;
    };
    Phase<T> phase;
    for (int64_t y = phase_y; y < in_.height; y += stride) {
      for (int64_t x = phase_x; x < in_.width; x += stride) {
        phase.rows.push_back(offset32(rows_.to(y / stride, x / stride)));
        phase.outs.push_back(offset32((y * in_.width + x) * kChannelBlock));
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

  void write_phase(const Phase<T>& phase, int64_t index, T* to) const {
    if (phase.taps.empty()) {
      for (int64_t block = 0; block < in_.blocks(); ++block) {
        for (const auto out : phase.outs) {
          std::fill_n(to + block * in_.block_size() + out, kChannelBlock, T(0));
        }
      }
      return;
    }
    multiply_taps<T>({.a = rows_.data() + index * rows_.image_stride(),
                      .row_offsets = phase.rows.data(),
                      .rows = static_cast<int64_t>(phase.rows.size()),
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

  const ConvGeometry& geometry_;
  MapShape in_;
  MapShape out_;
  int64_t margin_;  // pixels beside the gradient that the kernel may fall on
  PixelRows<T> rows_;
  T* panels_;
  std::vector<Phase<T>> phases_;
};

/// Gradients by the output as panels of all pixels of a chunk: [out blocks][pixels][16].
template <class T>
class GradientPanels {
 public:
  GradientPanels(const MapShape& out, int64_t chunk, Workspace& workspace)
      : out_(out),
        block_stride_(chunk * out.block_size()),
        panels_(workspace.take<T>(Piece::kPanels, out.blocks() * block_stride_)) {}

  void load(const MapSource<T>& gradient, int64_t image, int64_t index, int64_t block) const {
    T* to = panels_ + block * block_stride_ + index * out_.block_size();
    kernels<T>().load_block(gradient.part(out_.at(image, block), block), /*height=*/1,
                            out_.pixels(),
                            {.to = to, .row_stride = 0, .pixel_stride = kChannelBlock});
  }

  /// sums [out blocks][taps][depth][16] += what one tap of the kernel saw times the gradients.
  void add_products(const KernelRows<T>& rows, int64_t tap, const Chunk& chunk, T* sums) const {
    const int64_t depth = rows.plan().depth;
    T* out = sums + tap * depth * kChannelBlock;
    if (chunk.first == 0) {
      for (int64_t block = 0; block < out_.blocks(); ++block) {
        std::fill_n(out + block * rows.panel_size(), depth * kChannelBlock, T(0));
      }
    }
    const int64_t pixels = chunk.count * out_.pixels();
    for (int64_t k = 0; k < pixels; k += kDepth) {
      kernels<T>().gathered_outer({.a = rows.data() + rows.taps()[static_cast<size_t>(tap)].offset,
                                   .depth_offsets = rows.offsets() + k,
                                   .depth = std::min(kDepth, pixels - k),
                                   .rows = depth,
                                   .panel = panels_ + k * kChannelBlock,
                                   .panel_stride = block_stride_,
                                   .blocks = out_.blocks(),
                                   .out = out,
                                   .block_stride = rows.panel_size()});
    }
  }

 private:
  MapShape out_;
  int64_t block_stride_;
  T* panels_;
};

}  // namespace

template <class T>
void direct_forward(const ConvForward<T>& conv, Workspace& workspace) {
  const MapShape out = conv.geometry.out_shape(conv.input.shape);
  const int64_t chunk_size = images_of_chunk(out);
  const KernelRows<T> rows(conv.geometry, conv.input, chunk_size, workspace);
  T* panels = workspace.take<T>(Piece::kWeights, out.blocks() * rows.panel_size());
  const auto out_offsets = pixel_offsets(out.pixels());
#pragma omp parallel
  {
    rows.share_clear();
    share_forward_panels(conv.geometry, rows.plan(), conv.weights, panels);
    for_chunks(out.images, chunk_size, [&](const Chunk& chunk) {
      rows.share_load(chunk);
#pragma omp for schedule(static)
      for (int64_t index = 0; index < chunk.count; ++index) {
        multiply_taps<T>({.a = rows.data(),
                          .row_offsets = rows.offsets() + index * out.pixels(),
                          .rows = out.pixels(),
                          .taps = rows.taps().data(),
                          .tap_count = rows.plan().taps,
                          .depth = rows.plan().depth,
                          .panel = panels,
                          .panel_stride = rows.panel_size(),
                          .blocks = out.blocks(),
                          .out = conv.out + out.at(chunk.first + index, 0),
                          .out_offsets = out_offsets.data(),
                          .block_stride = out.block_size(),
                          .add = false});
        for (int64_t block = 0; conv.finish && block < out.blocks(); ++block) {
          conv.finish->run(chunk.first + index, block, 0, out.pixels());
        }
      }
    });
  }
}

template <class T>
void direct_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  const MapShape out = conv.geometry.out_shape(conv.input.shape);
  const int64_t chunk_size = images_of_chunk(out);
  const KernelRows<T> rows(conv.geometry, conv.input, chunk_size, workspace);
  const GradientPanels<T> gradients(out, chunk_size, workspace);
  std::optional<InputGradient<T>> to_input;
  if (conv.in_gradient) to_input.emplace(conv.geometry, conv.input.shape, chunk_size, workspace);
  T* sums = workspace.take<T>(Piece::kMoreWeights, out.blocks() * rows.panel_size());
#pragma omp parallel
  {
    rows.share_clear();
    if (to_input) {
      to_input->share_clear();
      to_input->share_panels(conv.weights);
    }
    for_chunks(out.images, chunk_size, [&](const Chunk& chunk) {
#pragma omp for schedule(static) nowait
      for (int64_t unit = 0; unit < chunk.count * out.blocks(); ++unit) {
        const int64_t index = unit / out.blocks();
        const int64_t block = unit % out.blocks();
        gradients.load(conv.gradient, chunk.first + index, index, block);
        if (to_input) to_input->load(conv.gradient, chunk.first + index, index, block);
      }
      rows.share_load(chunk);
#pragma omp for schedule(static) nowait
      for (int64_t tap = 0; tap < rows.plan().taps; ++tap) {
        gradients.add_products(rows, tap, chunk, sums);
      }
      if (to_input) {
#pragma omp for schedule(static) nowait
        for (int64_t index = 0; index < chunk.count; ++index) {
          to_input->write(chunk.first + index, index, conv.in_gradient, conv.finish);
        }
      }
#pragma omp barrier
    });
    share_panel_gradient(conv.geometry, rows.plan(), sums, conv.weight_gradient);
  }
}

template void direct_forward(const ConvForward<float>&, Workspace&);
template void direct_forward(const ConvForward<double>&, Workspace&);
template void direct_backward(const ConvBackward<float>&, Workspace&);
template void direct_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce
