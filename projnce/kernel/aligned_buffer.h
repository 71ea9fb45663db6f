#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace projnce {

/// Memory for plain numbers that starts at a cache line. Not initialised: pages that are never
/// written cost nothing, and threads may write their own first.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(int64_t count)
      : data_(static_cast<T*>(
            ::operator new (static_cast<size_t>(count) * sizeof(T), std::align_val_t{kLine}))) {}

  T* data() const { return data_.get(); }
  T& operator[](int64_t i) const { return data_.get()[i]; }

 private:
  static constexpr size_t kLine = 64;
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{kLine}); }
  };
  std::unique_ptr<T[], Free> data_;
};

}  // namespace projnce
