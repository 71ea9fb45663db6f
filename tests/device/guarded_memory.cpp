#include "tests/device/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "tests/device/guarded_device.h"

namespace projnce::testing {

struct GuardedBlock {
  void* memory = nullptr;
  size_t bytes = 0;
  int users = 0;  // number of Access objects
};

namespace {

std::atomic<int> full_devices = 0;
std::mutex users_mutex;

void set_protection(const GuardedBlock& block, int protection) {
  TORCH_CHECK(::mprotect(block.memory, block.bytes, protection) == 0, "mprotect failed");
}

void free_block(void* context) {
  auto* block = static_cast<GuardedBlock*>(context);
  ::munmap(block->memory, block->bytes);
  delete block;
}

}  // namespace

FullDevice::FullDevice() {
  ++full_devices;
}

FullDevice::~FullDevice() {
  --full_devices;
}

c10::DataPtr GuardedAllocator::allocate(size_t bytes) {
  TORCH_CHECK_WITH(OutOfMemoryError, full_devices == 0, "out of memory: ", bytes, " bytes");
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  auto* block = new GuardedBlock;
  block->bytes = std::max(bytes + page - 1, page) / page * page;
  block->memory =
      ::mmap(nullptr, block->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  TORCH_CHECK(block->memory != MAP_FAILED, "mmap of ", bytes, " bytes failed");
  return {block->memory, block, &free_block, c10::Device(kGuardedType, 0)};
}

void GuardedAllocator::copy_data(void* /*to*/, const void* /*from*/, size_t /*bytes*/) const {
  TORCH_CHECK(false, "the memory of the device cannot be copied through pointers");
}

GuardedAllocator& guarded_allocator() {
  static GuardedAllocator allocator;
  return allocator;
}

torch::Tensor Access::on_host(const torch::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_cpu()) return tensor;
  auto& memory = tensor.storage().unsafeGetStorageImpl()->_mutable_data_ptr_no_checks();
  auto* block = static_cast<GuardedBlock*>(memory.get_context());
  {
    const std::lock_guard lock(users_mutex);
    if (block->users++ == 0) set_protection(*block, PROT_READ | PROT_WRITE);
    blocks_.push_back(block);
  }
  kept_.push_back(tensor);
  c10::Storage storage(c10::Storage::use_byte_size_t{}, tensor.storage().nbytes(),
                       c10::DataPtr(block->memory, c10::kCPU), /*allocator=*/nullptr,
                       /*resizable=*/false);
  auto view = c10::make_intrusive<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  view->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return torch::Tensor(std::move(view));
}

Access::~Access() {
  const std::lock_guard lock(users_mutex);
  for (auto* block : blocks_) {
    if (--block->users == 0) ::mprotect(block->memory, block->bytes, PROT_NONE);
  }
}

}  // namespace projnce::testing
