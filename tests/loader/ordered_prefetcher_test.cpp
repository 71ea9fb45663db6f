#include "projnce/loader/ordered_prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace projnce::loader {
namespace {

using Prefetcher = OrderedPrefetcher<int64_t>;

TEST(OrderedPrefetcher, ReturnsItemsInOrderForAnyNumberOfThreads) {
  for (const int64_t threads : {0, 1, 2, 5}) {
    for (const int64_t ahead : {1, 2, 16}) {
      Prefetcher squares({3, 200, threads, ahead},
                         [] { return [](int64_t number) { return number * number; }; });
      for (int64_t number = 3; number < 200; ++number) ASSERT_EQ(squares.next(), number * number);
      EXPECT_EQ(squares.next(), std::nullopt);
      EXPECT_EQ(squares.next(), std::nullopt);
    }
  }
}

TEST(OrderedPrefetcher, MakesAtMostAheadItemsInAdvance) {
  std::atomic<int64_t> made = 0;
  int64_t consumed = 0;
  Prefetcher counter({0, 100, 3, 4}, [&] { return [&](int64_t) { return ++made; }; });
  while (counter.next()) {
    ++consumed;
    // Returning an item makes room for one more.
    EXPECT_LE(made, consumed + 4);
  }
  EXPECT_EQ(made, 100);
}

TEST(OrderedPrefetcher, RethrowsInPlaceOfTheFailedItemOnEveryCall) {
  Prefetcher items({0, 10, 2, 4}, [] {
    return [](int64_t number) {
      if (number == 5) throw std::domain_error("five");
      return number;
    };
  });
  for (int64_t number = 0; number < 5; ++number) EXPECT_EQ(items.next(), number);
  EXPECT_THROW(items.next(), std::domain_error);
  EXPECT_THROW(items.next(), std::domain_error);
}

TEST(OrderedPrefetcher, CanBeDestroyedAtAnyTime) {
  for (int64_t taken = 0; taken < 12; ++taken) {
    Prefetcher items({0, 1000, 3, 5}, [] { return [](int64_t number) { return number; }; });
    for (int64_t i = 0; i < taken; ++i) items.next();
  }
  Prefetcher nothing({0, 0, 2, 2}, [] { return [](int64_t number) { return number; }; });
  EXPECT_EQ(nothing.next(), std::nullopt);
}

TEST(OrderedPrefetcher, CreatesOneMakerPerThread) {
  int makers = 0;
  Prefetcher items({0, 4, 3, 2}, [&] {
    ++makers;
    return [](int64_t number) { return number; };
  });
  EXPECT_EQ(makers, 3);
}

}  // namespace
}  // namespace projnce::loader
