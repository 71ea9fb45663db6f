#include "projnce/dataset/split/sample_id.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "projnce/core/error.h"
#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

namespace {

constexpr uint64_t kSampledBytes = 16 << 10;
constexpr uint64_t kSampledBlocks = 16;
constexpr uint64_t kWholeBytes = kSampledBlocks * kSampledBytes;
constexpr int64_t kIdChunk = 64;

SampleId as_id(const XXH128_hash_t& hash) {
  return {.high = hash.high64, .low = hash.low64};
}

/// Incremental hash.
class IdHasher {
 public:
  IdHasher() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  template <class T>
  void add_values(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  SampleId id() const { return as_id(XXH3_128bits_digest(state_.get())); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

/// Includes kind and shape, so that a 2 x 3 image differs from a 3 x 2 image.
template <class Values>
SampleId hash_values(const std::array<int64_t, 4>& shape, const Values& values) {
  IdHasher hasher;
  hasher.add_values(std::span<const int64_t>(shape));
  hasher.add(std::as_bytes(std::span(values)));
  return hasher.id();
}

SampleId hash_decoded(const Image& image) {
  return hash_values({0, image.height, image.width, image.channels}, image.pixels);
}

SampleId hash_decoded(const Clip& clip) {
  return hash_values({1, clip.rate, 0, 0}, clip.samples);
}

SampleId hash_decoded(const Features& features) {
  return hash_values({2, features.channels, features.height, features.width}, features.values);
}

}  // namespace

SampleId hash_id(std::span<const std::byte> bytes) {
  return as_id(XXH3_128bits(bytes.data(), bytes.size()));
}

SampleId hash_id(std::string_view text) {
  return hash_id(std::as_bytes(std::span(text)));
}

SampleId hash_id(const Sample& sample) {
  return std::visit([](const auto& decoded) { return hash_decoded(decoded); }, sample);
}

SampleId hash_file(const io::FileTree& tree, const std::string& file) {
  const uint64_t size = tree.file_size(file);
  if (size <= kWholeBytes) return hash_id(tree.read(file, kWholeBytes).span());
  IdHasher hasher;
  hasher.add_values(std::span<const uint64_t>(&size, 1));
  const uint64_t last = size - kSampledBytes;
  for (uint64_t i = 0; i < kSampledBlocks; ++i) {
    // Divide first, so that the product cannot overflow.
    const uint64_t offset = i + 1 == kSampledBlocks ? last : last / (kSampledBlocks - 1) * i;
    hasher.add(tree.read_range(file, offset, kSampledBytes).span());
  }
  return hasher.id();
}

SampleId Dataset::identity(int64_t index) const {
  try {
    return hash_id(decode(index));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return hash_id(std::string_view(sample_name(index)));
  }
}

std::vector<SampleId> sample_ids(const Dataset& dataset, int threads) {
  std::vector<SampleId> ids(static_cast<size_t>(dataset.size()));
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (;;) {
        const int64_t begin = next.fetch_add(kIdChunk);
        if (begin >= dataset.size()) return;
        const int64_t end = std::min(begin + kIdChunk, dataset.size());
        for (int64_t i = begin; i < end; ++i) ids[static_cast<size_t>(i)] = dataset.identity(i);
      }
    } catch (...) {
      next = dataset.size();
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;  // joined at the end of the block
    for (int i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return ids;
}

std::string to_text(const SampleId& id) {
  return fmt::format("{:016x}{:016x}", id.high, id.low);
}

}  // namespace projnce::dataset
