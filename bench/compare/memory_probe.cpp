// Replaces malloc for the executable and all shared libraries: counts, and forwards to glibc
// through the names that glibc exports for this purpose.
#include "bench/compare/memory_probe.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
}

namespace projnce::bench {

namespace {

std::atomic<bool> watching{false};
std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> most_bytes{0};

void count(int64_t bytes) {
  const auto live = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto most = most_bytes.load(std::memory_order_relaxed);
  while (live > most && !most_bytes.compare_exchange_weak(most, live, std::memory_order_relaxed)) {
  }
}

bool is_watching() {
  return watching.load(std::memory_order_relaxed);
}

int64_t size_of(void* block) {
  return static_cast<int64_t>(malloc_usable_size(block));
}

void* counted(void* block) {
  if (is_watching() && block != nullptr) count(size_of(block));
  return block;
}

}  // namespace

MemoryProbe::MemoryProbe() {
  live_bytes = 0;
  most_bytes = 0;
  watching = true;
}

MemoryProbe::~MemoryProbe() {
  watching = false;
}

int64_t MemoryProbe::peak_bytes() const {
  return most_bytes;
}

}  // namespace projnce::bench

extern "C" {

using projnce::bench::count;
using projnce::bench::counted;
using projnce::bench::is_watching;
using projnce::bench::size_of;

void* malloc(size_t bytes) noexcept {
  return counted(__libc_malloc(bytes));
}

void* calloc(size_t amount, size_t bytes) noexcept {
  return counted(__libc_calloc(amount, bytes));
}

void free(void* block) noexcept {
  if (is_watching() && block != nullptr) count(-size_of(block));
  __libc_free(block);
}

void* realloc(void* block, size_t bytes) noexcept {
  const auto before = is_watching() && block != nullptr ? size_of(block) : 0;
  auto* moved = __libc_realloc(block, bytes);
  const bool released = moved != nullptr || bytes == 0;
  if (before != 0 && released) count(-before);
  return counted(moved);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  auto* found = __libc_memalign(alignment, bytes);
  if (found == nullptr) return ENOMEM;
  *block = counted(found);
  return 0;
}

}  // extern "C"
