#include "projnce/distributed/process_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <future>
#include <numeric>

#include "tests/support/rank_threads.h"

namespace projnce::distributed {
namespace {

using testing::as_ranks;
using ::testing::ElementsAre;

/// Rows that identify their rank: column 0 is rank * 100 + row, column 1 is column 0 + 7.
torch::Tensor rows_of(int64_t rank, int64_t rows, torch::ScalarType type = torch::kFloat) {
  const auto first = torch::arange(rows, torch::kLong) + rank * 100;
  return torch::stack({first, first + 7}, 1).to(type);
}

/// Values whose floating-point sum depends on the order of addition.
torch::Tensor rough_values(int64_t rank, at::IntArrayRef shape) {
  auto generator = at::detail::createCPUGenerator(static_cast<uint64_t>(rank) + 5);
  return torch::randn(shape, generator) * std::pow(10.0, static_cast<double>(rank));
}

class EveryWorld : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ProcessGroup, EveryWorld, ::testing::Values(1, 2, 3, 4));

/// Rank r has (r * 2) % 5 rows: 0, 2, 4, 1.
std::vector<int64_t> uneven_counts(int world) {
  std::vector<int64_t> counts;
  for (int rank = 0; rank < world; ++rank) counts.push_back(rank * 2 % 5);
  return counts;
}

TEST(ProcessGroup, SingleProcessReturnsItsInput) {
  const auto ranks = ProcessGroup::single_process();
  auto rows = rows_of(0, 3);
  EXPECT_EQ(ranks->rank(), 0);
  EXPECT_EQ(ranks->size(), 1);
  EXPECT_TRUE(ranks->is_rank_zero());
  EXPECT_THAT(ranks->all_gather_counts(3), ElementsAre(3));
  EXPECT_TRUE(ranks->all_gather_rows(rows, {3}).is_same(rows));
  EXPECT_TRUE(ranks->reduce_scatter(rows, {3}).is_same(rows));
  ranks->all_reduce(rows);
  ranks->broadcast(rows);
  ranks->start_all_reduce(rows).wait();
  ranks->barrier();
  EXPECT_TRUE(rows.equal(rows_of(0, 3)));
  EXPECT_EQ(ranks->broadcast_text("text"), "text");
}

TEST_P(EveryWorld, GathersUnevenRowsOfEveryType) {
  const auto counts = uneven_counts(GetParam());
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    const auto mine = counts[static_cast<size_t>(ranks->rank())];
    EXPECT_EQ(ranks->all_gather_counts(mine), counts);
    for (const auto type : {torch::kFloat, torch::kDouble, torch::kLong, torch::kByte}) {
      std::vector<torch::Tensor> expected;
      for (size_t r = 0; r < counts.size(); ++r) {
        expected.push_back(rows_of(static_cast<int64_t>(r), counts[r], type));
      }
      const auto all = ranks->all_gather_rows(rows_of(ranks->rank(), mine, type), counts);
      EXPECT_EQ(all.scalar_type(), type);
      EXPECT_TRUE(all.equal(torch::cat(expected)));
    }
  });
}

TEST_P(EveryWorld, GathersEqualCountsAndEmptyRows) {
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    const std::vector<int64_t> three(static_cast<size_t>(ranks->size()), 3);
    // Every second column of a wider tensor, so that the rows are not contiguous.
    const auto strided = rows_of(ranks->rank(), 3).repeat({1, 2}).slice(1, 0, 4, 2);
    const auto all = ranks->all_gather_rows(strided, three);
    ASSERT_EQ(all.size(0), 3 * ranks->size());
    EXPECT_TRUE(all.narrow(0, 3 * ranks->rank(), 3).equal(strided));
    const std::vector<int64_t> none(static_cast<size_t>(ranks->size()), 0);
    EXPECT_EQ(ranks->all_gather_rows(rows_of(0, 0), none).sizes(), (std::vector<int64_t>{0, 2}));
    EXPECT_EQ(ranks->reduce_scatter(rows_of(0, 0), none).sizes(), (std::vector<int64_t>{0, 2}));
  });
}

TEST_P(EveryWorld, ReduceScatterSumsInRankOrder) {
  const auto counts = uneven_counts(GetParam());
  const auto rows = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  auto expected = rough_values(0, {rows, 50});
  for (int rank = 1; rank < GetParam(); ++rank) expected.add_(rough_values(rank, {rows, 50}));
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    const auto rank = static_cast<size_t>(ranks->rank());
    const auto offset = std::accumulate(counts.begin(), counts.begin() + ranks->rank(), int64_t{0});
    const auto mine = ranks->reduce_scatter(rough_values(ranks->rank(), {rows, 50}), counts);
    EXPECT_TRUE(mine.equal(expected.narrow(0, offset, counts[rank])));
  });
}

TEST_P(EveryWorld, AllReduceIsDeterministicAndEqualOnAllRanks) {
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    for (const int64_t size : {1000, 20000}) {  // both algorithms: all-gather and ring
      auto sum = rough_values(ranks->rank(), {size});
      ranks->all_reduce(sum);
      auto again = rough_values(ranks->rank(), {size});
      ranks->all_reduce(again);
      EXPECT_TRUE(again.equal(sum));
      auto first = sum.clone();
      ranks->broadcast(first);
      EXPECT_TRUE(first.equal(sum));
      auto started = rough_values(ranks->rank(), {size});
      ranks->start_all_reduce(started).wait();

      auto expected = rough_values(0, {size}).to(torch::kDouble);
      for (int r = 1; r < ranks->size(); ++r) expected.add_(rough_values(r, {size}));
      EXPECT_TRUE(sum.to(torch::kDouble).allclose(expected, 1e-5, 1e-4));
      EXPECT_TRUE(started.to(torch::kDouble).allclose(expected, 1e-5, 1e-4));
    }
  });
}

TEST_P(EveryWorld, ReducesAndBroadcastsInAnyMemoryFormat) {
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    const auto values = torch::arange(2 * 3 * 4 * 5, torch::kFloat).view({2, 3, 4, 5});
    const auto expected = values * (ranks->size() * (ranks->size() + 1) / 2);
    auto mine = values * (ranks->rank() + 1);
    // The memory format may differ between ranks.
    if (ranks->rank() != 1) mine = mine.contiguous(torch::MemoryFormat::ChannelsLast);
    const auto strides = mine.strides().vec();
    ranks->all_reduce(mine);
    EXPECT_TRUE(mine.equal(expected));
    EXPECT_EQ(mine.strides(), strides);

    auto other = ranks->is_rank_zero() ? mine : torch::zeros_like(mine);
    ranks->broadcast(other);
    EXPECT_TRUE(other.equal(expected));

    auto frame = torch::full({4, 4}, ranks->rank());
    auto inner = frame.slice(0, 1, 3).slice(1, 1, 3);
    ranks->all_reduce(inner);
    const auto total = ranks->size() * (ranks->size() - 1) / 2;
    EXPECT_EQ(frame.sum().item<int64_t>(), 12 * ranks->rank() + 4 * total);
  });
}

TEST_P(EveryWorld, BroadcastsTextOfAnyLength) {
  as_ranks(GetParam(), [&](const ProcessGroupPtr& ranks) {
    const auto text =
        ranks->is_rank_zero() ? std::string("a\0b", 3) : "something else that is longer";
    EXPECT_EQ(ranks->broadcast_text(text), std::string("a\0b", 3));
    EXPECT_EQ(ranks->broadcast_text(ranks->is_rank_zero() ? "" : "x"), "");
  });
}

TEST(ProcessGroup, ReportsTheOperationInWhichARankWasLost) {
  const testing::ScratchDir dir;
  std::promise<void> first_joined;  // if rank 1 exits earlier, rank 0 already fails in join_ranks
  const auto problems = testing::in_threads(2, [&](int rank) {
    const auto ranks =
        join_ranks(testing::rank_of(rank, 2, dir), {.timeout = std::chrono::milliseconds(300)});
    if (rank == 1) {
      first_joined.get_future().wait_for(std::chrono::seconds(10));
      return;
    }
    first_joined.set_value();
    auto numbers = torch::ones({10});
    ranks->all_reduce(numbers, "gathering embeddings");
  });
  ASSERT_TRUE(problems[0]);
  try {
    std::rethrow_exception(problems[0]);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::StartsWith("rank 0 of 2 lost the other ranks while gathering "
                                      "embeddings: a rank died or did not respond within 0.3 s ("));
    EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
  }
}

}  // namespace
}  // namespace projnce::distributed
