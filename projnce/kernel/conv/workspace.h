#pragma once

#include <cstdint>
#include <map>

#include "projnce/kernel/conv/page_buffer.h"

namespace projnce {

/// Memory that passes of a convolution use one after the other: got once, kept for the next. Each
/// purpose has its own piece, which grows when a larger one is asked for.
class Workspace {
 public:
  enum class Piece { kWeights, kMoreWeights, kFactors, kMoreFactors, kPanels, kProducts, kPadded };

  /// At least `count` numbers; what was in the piece may be lost.
  template <class T>
  T* take(Piece piece, int64_t count) {
    auto& buffer = pieces_[piece];
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    if (buffer.bytes() < bytes) buffer = PageBuffer(bytes);
    return static_cast<T*>(buffer.data());
  }

 private:
  std::map<Piece, PageBuffer> pieces_;
};

}  // namespace projnce
