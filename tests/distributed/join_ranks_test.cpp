#include "projnce/distributed/join_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "tests/support/error_message.h"
#include "tests/support/rank_threads.h"

namespace projnce::distributed {
namespace {

using ::testing::Each;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::in_threads;
using testing::rank_of;
using testing::ScratchDir;
using ::testing::StartsWith;

/// The error message and kind of each rank that tries to join.
struct JoinResults {
  std::vector<std::string> messages;
  std::vector<ErrorKind> kinds;
};

JoinResults join_each(int processes, const std::function<void(int)>& join) {
  JoinResults results;
  for (const auto& problem : in_threads(processes, join)) {
    results.messages.push_back(error_message_of([&] {
      if (problem) std::rethrow_exception(problem);
    }));
    try {
      if (problem) std::rethrow_exception(problem);
    } catch (const Error& error) {
      results.kinds.push_back(error.kind());
    }
  }
  return results;
}

/// A listening socket on a port that was free, and the port.
std::pair<io::FileDescriptor, int> listen_on_free_port() {
  io::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t length = sizeof(address);
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length);
  ::listen(socket.get(), 1);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return {std::move(socket), ntohs(address.sin_port)};
}

TEST(JoinRanks, EveryRankReportsWhichRankDiffersInWhat) {
  const ScratchDir dir;
  const auto results = join_each(3, [&](int rank) {
    const std::string epochs = rank == 2 ? "3" : "2";
    join_ranks(rank_of(rank, 3, dir),
               {.must_agree = {{"program", "5ad1"},
                               {"configuration", "seed = 1\nepochs = " + epochs + "\nlr = 1\n"}}});
  });
  EXPECT_THAT(results.messages,
              Each(StartsWith("the configuration differs between ranks: line 2 is 'epochs = 3' on "
                              "rank 2 and 'epochs = 2' on rank 0")));
  EXPECT_THAT(results.kinds,
              ::testing::ElementsAre(ErrorKind::kInput, ErrorKind::kInput, ErrorKind::kInput));
}

TEST(JoinRanks, ReportsLineMissingOnOneRank) {
  const ScratchDir dir;
  const auto results = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 2, dir), {.must_agree = {{"program", rank == 0 ? "a\nb" : "a"}}});
  });
  EXPECT_THAT(results.messages, Each(HasSubstr("line 2 is missing on rank 1 and 'b' on rank 0")));
}

TEST(JoinRanks, ReportsMissingRanksAfterTimeout) {
  const ScratchDir dir;
  const auto results = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 4, dir), {.timeout = std::chrono::milliseconds(300)});
  });
  EXPECT_THAT(results.messages, Each("2 of 4 ranks joined within 0.3 s; missing: 2, 3"));
  EXPECT_THAT(results.kinds, ::testing::ElementsAre(ErrorKind::kRuntime, ErrorKind::kRuntime));
}

TEST(JoinRanks, RejectsDuplicateRank) {
  const ScratchDir dir;
  const auto results = join_each(3, [&](int process) {
    join_ranks(rank_of(process == 2 ? 1 : process, 3, dir), {.timeout = std::chrono::seconds(5)});
  });
  EXPECT_THAT(results.messages, Each(HasSubstr("two processes claim rank 1 of 3")));
}

TEST(JoinRanks, RejectsDifferentWorldSize) {
  const ScratchDir dir;
  const auto results = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 2 + rank, dir), {.timeout = std::chrono::seconds(5)});
  });
  EXPECT_THAT(results.messages,
              Each(HasSubstr("the number of ranks differs between ranks: it is '3' on rank 1 and "
                             "'2' on rank 0")));
}

TEST(JoinRanks, SurplusRankFailsWithoutAffectingTheOthers) {
  const ScratchDir dir;
  const auto results = join_each(3, [&](int rank) {
    const auto ranks = join_ranks(rank_of(rank, rank == 2 ? 3 : 2, dir));
    ranks->barrier();
  });
  EXPECT_EQ(results.messages[0], "nothing was wrong");
  EXPECT_EQ(results.messages[1], "nothing was wrong");
  EXPECT_THAT(results.messages[2], HasSubstr("the number of ranks differs between ranks"));
}

TEST(JoinRanks, ConnectsOverTcp) {
  auto [socket, port] = listen_on_free_port();
  socket.close();
  const auto results = join_each(2, [&, port = port](int rank) {
    const auto ranks = join_ranks({.rank = rank, .world = 2, .address = "127.0.0.1", .port = port});
    auto one = torch::ones({1});
    ranks->all_reduce(one);
    EXPECT_EQ(one.item<float>(), 2);
    ranks->barrier();
  });
  EXPECT_THAT(results.messages, Each("nothing was wrong"));
}

TEST(JoinRanks, EveryRankReportsAMismatchOverTcp) {
  auto [socket, port] = listen_on_free_port();
  socket.close();
  const auto results = join_each(3, [&, port = port](int rank) {
    join_ranks({.rank = rank, .world = 3, .address = "localhost", .port = port},
               {.must_agree = {{"program", std::to_string(rank)}}});
  });
  EXPECT_THAT(results.messages,
              Each(HasSubstr("the program differs between ranks: it is '1' on rank 1")));
}

TEST(JoinRanks, ReportsPortInUse) {
  const auto [socket, port] = listen_on_free_port();
  const auto message = error_message_of([port = port] {
    join_ranks({.rank = 0, .world = 2, .address = "127.0.0.1", .port = port},
               {.timeout = std::chrono::milliseconds(300)});
  });
  EXPECT_THAT(message, HasSubstr(concat("127.0.0.1: port ", port, " is in use")));
  EXPECT_THAT(message, HasSubstr("set MASTER_PORT to a free port"));
}

TEST(JoinRanks, ReportsUnreachableAddress) {
  auto [socket, port] = listen_on_free_port();
  socket.close();
  EXPECT_THAT(error_message_of([port = port] {
                join_ranks({.rank = 1, .world = 2, .address = "127.0.0.1", .port = port},
                           {.timeout = std::chrono::milliseconds(300)});
              }),
              HasSubstr(concat("rank 1 of 2 could not reach 127.0.0.1:", port, " within 0.3 s")));
  EXPECT_THAT(error_message_of([] {
                join_ranks({.rank = 1, .world = 2, .address = "no.such.host.invalid", .port = 1});
              }),
              HasSubstr("MASTER_ADDR is 'no.such.host.invalid', which cannot be resolved"));
}

}  // namespace
}  // namespace projnce::distributed
