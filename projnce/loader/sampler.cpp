#include "projnce/loader/sampler.h"

#include <algorithm>
#include <numeric>

#include "projnce/core/seed.h"

namespace projnce {

namespace {

/// Keeps the order's random numbers apart from those of the views, which use purpose 0.
constexpr uint64_t kOrderPurpose = 1;

Random order_random(uint64_t seed, int64_t epoch) {
  return Random(derive_seed(seed, static_cast<uint64_t>(epoch), kOrderPurpose));
}

}  // namespace

std::vector<int64_t> ShuffledSampler::epoch_order(int64_t epoch) const {
  std::vector<int64_t> order(static_cast<size_t>(size_));
  std::iota(order.begin(), order.end(), int64_t{0});
  auto random = order_random(seed_, epoch);
  random.shuffle(order);
  return order;
}

ClassBalancedSampler::ClassBalancedSampler(const Dataset& dataset, uint64_t seed)
    : members_(dataset.class_names().size()), seed_(seed) {
  for (int64_t i = 0; i < dataset.size(); ++i) {
    members_[static_cast<size_t>(dataset.label(i))].push_back(i);
  }
  std::erase_if(members_, [](const auto& members) { return members.empty(); });
  for (const auto& members : members_) {
    largest_ = std::max(largest_, static_cast<int64_t>(members.size()));
  }
}

int64_t ClassBalancedSampler::epoch_size() const {
  return static_cast<int64_t>(members_.size()) * largest_;
}

std::vector<int64_t> ClassBalancedSampler::epoch_order(int64_t epoch) const {
  auto random = order_random(seed_, epoch);
  auto queues = members_;
  random.shuffle(queues);
  std::vector<size_t> taken(queues.size(), 0);

  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(epoch_size()));
  for (int64_t round = 0; round < largest_; ++round) {
    for (size_t k = 0; k < queues.size(); ++k) {
      auto& queue = queues[k];
      const size_t place = taken[k]++ % queue.size();
      if (place == 0) random.shuffle(queue);
      order.push_back(queue[place]);
    }
  }
  return order;
}

}  // namespace projnce
