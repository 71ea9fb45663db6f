#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace projnce::loader {

/// Range of items and resources of a prefetcher.
struct PrefetchPlan {
  int64_t first = 0;    ///< number of the first item
  int64_t end = 0;      ///< one past the number of the last item
  int64_t threads = 1;  ///< number of worker threads; 0 = `next` makes each item itself
  int64_t ahead = 4;    ///< maximum number of items ready or in progress; at least 1
};

/// Makes numbered items in worker threads, ahead of a single consumer, which receives them in
/// order. If making an item throws, `next` rethrows the exception in place of that item, on every
/// call. The destructor waits for the items in progress and discards the rest.
template <class Item>
class OrderedPrefetcher {
 public:
  using Maker = std::function<Item(int64_t number)>;

  /// Calls `new_maker` in the constructor, once per thread (once if there are none), so that each
  /// maker can keep its own buffers.
  OrderedPrefetcher(const PrefetchPlan& plan, const std::function<Maker()>& new_maker)
      : slots_(static_cast<size_t>(plan.ahead)),
        claimed_(plan.first),
        delivered_(plan.first),
        end_(plan.end) {
    if (plan.threads == 0) inline_maker_ = new_maker();
    for (int64_t i = 0; i < plan.threads; ++i) {
      workers_.emplace_back(
          [this, make = new_maker()](const std::stop_token& stop) { work(stop, make); });
    }
  }

  /// Returns the next item, or nullopt after the last one.
  std::optional<Item> next() {
    if (delivered_ >= end_) return std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    Slot& slot = slot_of(delivered_);
    if (inline_maker_ && !slot.error) slot = attempt(inline_maker_, delivered_);
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return slot.item || slot.error; });
    seconds_waited_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (slot.error) std::rethrow_exception(slot.error);
    auto item = std::exchange(slot.item, std::nullopt);
    ++delivered_;
    room_.notify_one();
    return item;
  }

  /// Returns the total time that `next` has waited for items.
  double seconds_waited() const { return seconds_waited_; }

 private:
  struct Slot {
    std::optional<Item> item;
    std::exception_ptr error;
  };

  Slot& slot_of(int64_t number) { return slots_[static_cast<size_t>(number) % slots_.size()]; }

  bool may_claim() const {
    return claimed_ < end_ && claimed_ < delivered_ + static_cast<int64_t>(slots_.size());
  }

  void work(const std::stop_token& stop, const Maker& make) {
    std::unique_lock lock(mutex_);
    while (room_.wait(lock, stop, [this] { return may_claim(); })) {
      if (stop.stop_requested()) return;
      const int64_t number = claimed_++;
      lock.unlock();
      Slot made = attempt(make, number);
      lock.lock();
      slot_of(number) = std::move(made);
      filled_.notify_one();
    }
  }

  static Slot attempt(const Maker& make, int64_t number) {
    try {
      return {make(number), nullptr};
    } catch (...) {
      return {std::nullopt, std::current_exception()};
    }
  }

  Maker inline_maker_;  // empty if worker threads make the items
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable_any room_;
  std::vector<Slot> slots_;
  int64_t claimed_;    // next number to make
  int64_t delivered_;  // next number to return
  const int64_t end_;
  double seconds_waited_ = 0;
  std::vector<std::jthread> workers_;  // last member: joined before the others are destroyed
};

}  // namespace projnce::loader
