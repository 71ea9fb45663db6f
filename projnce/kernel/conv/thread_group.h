#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace projnce::kernel {

/// Who works on some images: all threads of a parallel region together, or one of them alone.
class ThreadGroup {
 public:
  static ThreadGroup single_thread() { return ThreadGroup(0, 1, omp_get_thread_num()); }
  static ThreadGroup all_threads() {
    return ThreadGroup(omp_get_thread_num(), omp_get_num_threads(), 0);
  }

  /// Which of the memories, one for each team that works at a time.
  int64_t slot() const { return slot_; }

  /// Calls work(unit) for this member's part of 0 .. count-1, the same part every time.
  template <class Work>
  void share(int64_t count, const Work& work) const {
    const int64_t end = count * (member_ + 1) / size_;
    for (int64_t unit = count * member_ / size_; unit < end; ++unit) work(unit);
  }
  /// Waits until all members are here.
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

/// Images that one team works on.
struct Partition {
  int64_t index;
  int64_t first;
  int64_t end;
};

/// How images are given to threads. Small layers go in several lanes, each by one thread, which
/// never waits; large ones, whose sums would not fit the caches several times, in a single lane by
/// all threads together. The number of lanes does not depend on that of threads, so sums over lanes
/// come out the same.
class PartitionPlan {
 public:
  static constexpr int64_t kPartitions = 8;

  PartitionPlan(int64_t images, bool several)
      : images_(images), lanes_(several ? kPartitions : 1) {}

  int64_t lanes() const { return lanes_; }
  /// Memories that are in use at a time.
  int64_t slots() const { return lanes_ == 1 ? 1 : omp_get_max_threads(); }
  /// The most images of a lane.
  int64_t most() const { return (images_ + lanes_ - 1) / lanes_; }

  /// Calls work(team, lane) inside a parallel region, whose threads all call this.
  template <class Work>
  void run(const Work& work) const {
    if (lanes_ == 1) {
      work(ThreadGroup::all_threads(), Partition{0, 0, images_});
#pragma omp barrier
      return;
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < lanes_; ++i) {
      work(ThreadGroup::single_thread(),
           Partition{i, images_ * i / lanes_, images_ * (i + 1) / lanes_});
    }
  }

 private:
  int64_t images_;
  int64_t lanes_;
};

/// Some images of a lane, worked on at a time.
struct Chunk {
  int64_t first;
  int64_t count;
};

/// Calls work(chunk) for a lane's images, `size` at a time.
template <class Work>
void for_chunks(const Partition& lane, int64_t size, const Work& work) {
  for (int64_t first = lane.first; first < lane.end; first += size) {
    work(Chunk{first, std::min(size, lane.end - first)});
  }
}

/// sums[0] += the sums of all other lanes, `stride` apart, in their order. By all threads of a
/// parallel region.
template <class T>
void reduce_partition_sums(const PartitionPlan& plan, T* sums, int64_t stride, int64_t count) {
  constexpr int64_t kPiece = 4096;
#pragma omp for schedule(static)
  for (int64_t piece = 0; piece < (count + kPiece - 1) / kPiece; ++piece) {
    const int64_t end = std::min(count, (piece + 1) * kPiece);
    for (int64_t lane = 1; lane < plan.lanes(); ++lane) {
      const T* from = sums + lane * stride;
      for (int64_t i = piece * kPiece; i < end; ++i) sums[i] += from[i];
    }
  }
}

}  // namespace projnce::kernel
