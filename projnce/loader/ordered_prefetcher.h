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

/// Which items a prefetcher makes, and with what.
struct PrefetchPlan {
  int64_t first = 0;    ///< number of the first item
  int64_t end = 0;      ///< one past the number of the last item
  int64_t threads = 1;  ///< 0: the consumer makes each item when he asks for it
  int64_t ahead = 4;    ///< items held or being made at any time, at least 1
};

/// Makes numbered items in threads of its own, ahead of the one consumer, who gets them in order
/// whichever thread made them. What a thread throws is thrown to the consumer in the item's place,
/// each time he asks. Destruction waits for the items being made and forgets the rest.
template <class Item>
class OrderedPrefetcher {
 public:
  using Maker = std::function<Item(int64_t number)>;

  /// `new_maker` is called once for each thread (once for none), here, so that makers can keep
  /// buffers.
  OrderedPrefetcher(const PrefetchPlan& plan, const std::function<Maker()>& new_maker)
      : slots_(static_cast<size_t>(plan.ahead)),
        claimed_(plan.first),
        delivered_(plan.first),
        end_(plan.end) {
    if (plan.threads == 0) make_here_ = new_maker();
    for (int64_t i = 0; i < plan.threads; ++i) {
      workers_.emplace_back(
          [this, make = new_maker()](const std::stop_token& stop) { work(stop, make); });
    }
  }

  /// The next item, or nothing after the last one.
  std::optional<Item> next() {
    if (delivered_ >= end_) return std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    Slot& slot = slot_of(delivered_);
    if (make_here_ && !slot.error) slot = attempt(make_here_, delivered_);
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

  /// How long `next` waited for items that were not ready, in total.
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

  Maker make_here_;  // empty where threads make the items
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable_any room_;
  std::vector<Slot> slots_;
  int64_t claimed_;    // next number that a thread takes
  int64_t delivered_;  // next number that the consumer gets
  const int64_t end_;
  double seconds_waited_ = 0;
  std::vector<std::jthread> workers_;  // last: stopped and joined before the rest goes
};

}  // namespace projnce::loader
