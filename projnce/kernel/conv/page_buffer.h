#pragma once

#include <cstdint>
#include <memory>

namespace projnce {

/// Memory in large pages where the system has them: maps and factors are walked with long strides,
/// which small pages make a search of the page table each. Not initialised.
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

}  // namespace projnce
