#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace projnce::kernel {

/// Memory in large pages where the system has them: maps and factors are walked with long strides,
/// which small pages make a search of the page table each. Not initialized.
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(int64_t bytes);

  void* data() const { return data_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> data_;
  int64_t bytes_ = 0;
};

/// Memory that passes of a convolution use one after the other: got once, kept for the next. Each
/// purpose has its own piece, which grows when a larger one is asked for.
class Workspace {
 public:
  enum class MicroBatch {
    kWeights,
    kMoreWeights,
    kFactors,
    kMoreFactors,
    kPanels,
    kProducts,
    kPadded
  };

  /// At least `count` numbers; what was in the piece may be lost.
  template <class T>
  T* take(MicroBatch piece, int64_t count) {
    auto& buffer = pieces_[piece];
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    if (buffer.bytes() < bytes) buffer = PageBuffer(bytes);
    return static_cast<T*>(buffer.data());
  }

 private:
  std::map<MicroBatch, PageBuffer> pieces_;
};

}  // namespace projnce::kernel
