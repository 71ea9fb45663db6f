#include "projnce/kernel/conv/epilogue.h"

#include <algorithm>

#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

ChannelSums::ChannelSums(const ActivationShape& shape, double* memory)
    : images_(shape.images), blocks_(shape.blocks()), memory_(memory) {
  std::fill_n(memory, size(shape), 0.0);
}

void ChannelSums::total(int64_t kinds, double* totals) const {
  const int64_t channels = blocks_ * kChannelBlock;
  std::fill_n(totals, kinds * channels, 0.0);
  for (int64_t image = 0; image < images_; ++image) {
    for (int64_t block = 0; block < blocks_; ++block) {
      const double* sums = of(image, block);
      for (int64_t kind = 0; kind < kinds; ++kind) {
        double* to = totals + kind * channels + block * kChannelBlock;
        for (int64_t i = 0; i < kChannelBlock; ++i) to[i] += sums[kind * kChannelBlock + i];
      }
    }
  }
}

template <class T>
void SumSquares<T>::run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const {
  kernels<T>().add_squares(maps_ + shape_.at(image, block) + first_pixel * kChannelBlock, pixels,
                           sums_.of(image, block));
}

template <class T>
void Activate<T>::run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const {
  const int64_t at = shape_.at(image, block) + first_pixel * kChannelBlock;
  kernels<T>().load_block(source_.part(at, block), /*height=*/1, pixels,
                          {.to = maps_ + at, .row_stride = 0, .pixel_stride = kChannelBlock});
}

template <class T>
void ReluBackward<T>::run(int64_t image, int64_t block, int64_t first_pixel, int64_t pixels) const {
  const int64_t at = shape_.at(image, block) + first_pixel * kChannelBlock;
  const int64_t channel = block * kChannelBlock;
  const auto move = [](const T* pointer, int64_t by) { return pointer ? pointer + by : nullptr; };
  kernels<T>().relu_backward({.gradient = maps_.gradient + at,
                              .added = move(maps_.added, at),
                              .x = maps_.x + at,
                              .second = move(maps_.second, at),
                              .active = move(maps_.active, at),
                              .scale = move(maps_.scale, channel),
                              .shift = move(maps_.shift, channel)},
                             pixels, sums_.of(image, block));
}

template class SumSquares<float>;
template class SumSquares<double>;
template class Activate<float>;
template class Activate<double>;
template class ReluBackward<float>;
template class ReluBackward<double>;

}  // namespace projnce::kernel
