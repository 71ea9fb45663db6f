#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "projnce/kernel/conv/page_buffer.h"

namespace projnce {

/// Memory for maps that live for a few layers only: gradients on their way back, activations of an
/// evaluation.
template <class T>
class MapBuffers {
 public:
  /// Each for at least so many numbers.
  void reserve(int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    for (auto& buffer : buffers_) {
      if (buffer.bytes() < bytes) buffer = PageBuffer(bytes);
    }
  }

  /// One that is none of those in use, of which there are three at most.
  T* other_than(std::initializer_list<const T*> used) const {
    for (const auto& buffer : buffers_) {
      T* maps = static_cast<T*>(buffer.data());
      if (std::find(used.begin(), used.end(), maps) == used.end()) return maps;
    }
    return nullptr;
  }

 private:
  std::array<PageBuffer, 4> buffers_;
};

}  // namespace projnce
