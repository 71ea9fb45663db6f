#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace projnce::kernel {

/// Uninitialized memory in huge pages, if available: feature maps are accessed with long strides,
/// which cause a TLB miss each with regular pages.
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

/// Scratch memory of the convolutions, reused across calls. Each purpose has its own buffer, which
/// grows on demand.
class Workspace {
 public:
  enum class Purpose {
    kWeights,
    kMoreWeights,
    kFactors,
    kMoreFactors,
    kPanels,
    kProducts,
    kPadded
  };

  /// Returns a buffer of at least `count` elements; its previous contents may be lost.
  template <class T>
  T* take(Purpose purpose, int64_t count) {
    auto& buffer = buffers_[purpose];
    const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    if (buffer.bytes() < bytes) buffer = PageBuffer(bytes);
    return static_cast<T*>(buffer.data());
  }

 private:
  std::map<Purpose, PageBuffer> buffers_;
};

}  // namespace projnce::kernel
