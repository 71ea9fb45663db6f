#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace projnce::kernel {

/// The threads that work on a set of images: all threads of a parallel region, or a single one.
class ThreadGroup {
 public:
  static ThreadGroup single_thread() { return ThreadGroup(0, 1, omp_get_thread_num()); }
  static ThreadGroup all_threads() {
    return ThreadGroup(omp_get_thread_num(), omp_get_num_threads(), 0);
  }

  /// Index of the group's working memory.
  int64_t slot() const { return slot_; }

  /// Calls work(unit) for this thread's part of 0 .. count - 1; the split is deterministic.
  template <class Work>
  void for_each(int64_t count, const Work& work) const {
    const int64_t end = count * (member_ + 1) / size_;
    for (int64_t unit = count * member_ / size_; unit < end; ++unit) work(unit);
  }
  /// Waits for all threads of the group.
  void barrier() const {
    if (size_ > 1) {
#pragma omp barrier
    }
  }

 private:
  ThreadGroup(int64_t member, int64_t size, int64_t slot)
      : member_(member), size_(size), slot_(slot) {}

  int64_t member_;
  int64_t size_;
  int64_t slot_;
};

/// Images processed by one thread group.
struct Partition {
  int64_t index;
  int64_t first;
  int64_t end;
};

/// Distribution of images over threads. Small layers use several partitions, each processed by one
/// thread without synchronization; large layers, whose sums would not fit into the caches several
/// times, use one partition processed by all threads. The number of partitions does not depend on
/// the number of threads, so sums over partitions are deterministic.
class PartitionPlan {
 public:
  static constexpr int64_t kPartitions = 8;

  PartitionPlan(int64_t images, bool several)
      : images_(images), partitions_(several ? kPartitions : 1) {}

  int64_t partitions() const { return partitions_; }
  /// Number of working memories in use at a time.
  int64_t slots() const { return partitions_ == 1 ? 1 : omp_get_max_threads(); }
  /// Maximum number of images per partition.
  int64_t most() const { return (images_ + partitions_ - 1) / partitions_; }

  /// Calls work(group, partition). Must be called by all threads of a parallel region.
  template <class Work>
  void run(const Work& work) const {
    if (partitions_ == 1) {
      work(ThreadGroup::all_threads(), Partition{0, 0, images_});
#pragma omp barrier
      return;
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < partitions_; ++i) {
      work(ThreadGroup::single_thread(),
           Partition{i, images_ * i / partitions_, images_ * (i + 1) / partitions_});
    }
  }

 private:
  int64_t images_;
  int64_t partitions_;
};

/// Images of a partition that are processed together.
struct Chunk {
  int64_t first;
  int64_t count;
};

/// Calls work(chunk) for the images of a partition, `size` at a time.
template <class Work>
void for_chunks(const Partition& partition, int64_t size, const Work& work) {
  for (int64_t first = partition.first; first < partition.end; first += size) {
    work(Chunk{first, std::min(size, partition.end - first)});
  }
}

/// Adds the sums of all other partitions, `stride` elements apart, to the first, in order. Must be
/// called by all threads of a parallel region.
template <class T>
void reduce_partition_sums(const PartitionPlan& plan, T* sums, int64_t stride, int64_t count) {
  constexpr int64_t kPiece = 4096;
#pragma omp for schedule(static)
  for (int64_t piece = 0; piece < (count + kPiece - 1) / kPiece; ++piece) {
    const int64_t end = std::min(count, (piece + 1) * kPiece);
    for (int64_t partition = 1; partition < plan.partitions(); ++partition) {
      const T* from = sums + partition * stride;
      for (int64_t i = piece * kPiece; i < end; ++i) sums[i] += from[i];
    }
  }
}

}  // namespace projnce::kernel
