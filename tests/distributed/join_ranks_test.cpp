#include "projnce/distributed/join_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/types.h>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "tests/support/complaint.h"
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

/// What each rank says when it tries to join, and whose fault it is.
struct Answers {
  std::vector<std::string> sentences;
  std::vector<ErrorKind> faults;
};

Answers join_each(int processes, const std::function<void(int)>& join) {
  Answers answers;
  for (const auto& problem : in_threads(processes, join)) {
    answers.sentences.push_back(error_message_of([&] {
      if (problem) std::rethrow_exception(problem);
    }));
    try {
      if (problem) std::rethrow_exception(problem);
    } catch (const Error& error) {
      answers.faults.push_back(error.kind());
    }
  }
  return answers;
}

/// A socket that listens on a port of the loopback interface which was free.
std::pair<io::FileDescriptor, int> taken_port() {
  io::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t length = sizeof(address);
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length);
  ::listen(socket.get(), 1);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return {std::move(socket), ntohs(address.sin_port)};
}

TEST(JoinRanks, EveryRankNamesWhoDisagreesAboutWhat) {
  const ScratchDir dir;
  const auto answers = join_each(3, [&](int rank) {
    const std::string epochs = rank == 2 ? "3" : "2";
    join_ranks(rank_of(rank, 3, dir),
               {.must_agree = {{"program", "5ad1"},
                               {"configuration", "seed = 1\nepochs = " + epochs + "\nlr = 1\n"}}});
  });
  EXPECT_THAT(answers.sentences,
              Each(StartsWith("rank 2 disagrees with rank 0 about the configuration: line 2 is "
                              "'epochs = 3' there and 'epochs = 2' on rank 0")));
  EXPECT_THAT(answers.faults,
              ::testing::ElementsAre(ErrorKind::kInput, ErrorKind::kInput, ErrorKind::kInput));
}

TEST(JoinRanks, NamesALineThatOneRankHasNot) {
  const ScratchDir dir;
  const auto answers = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 2, dir), {.must_agree = {{"program", rank == 0 ? "a\nb" : "a"}}});
  });
  EXPECT_THAT(answers.sentences, Each(HasSubstr("line 2 is missing there and 'b' on rank 0")));
}

TEST(JoinRanks, NamesRanksThatDidNotCome) {
  const ScratchDir dir;
  const auto answers = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 4, dir), {.timeout = std::chrono::milliseconds(300)});
  });
  EXPECT_THAT(answers.sentences, Each("2 of 4 ranks came within 0.3 s; missing: 2, 3"));
  EXPECT_THAT(answers.faults, ::testing::ElementsAre(ErrorKind::kRuntime, ErrorKind::kRuntime));
}

TEST(JoinRanks, NamesARankThatTwoClaim) {
  const ScratchDir dir;
  const auto answers = join_each(3, [&](int process) {
    join_ranks(rank_of(process == 2 ? 1 : process, 3, dir), {.timeout = std::chrono::seconds(5)});
  });
  EXPECT_THAT(answers.sentences, Each(HasSubstr("two processes say that they are rank 1 of 3")));
}

TEST(JoinRanks, NoticesAnotherNumberOfRanks) {
  const ScratchDir dir;
  const auto answers = join_each(2, [&](int rank) {
    join_ranks(rank_of(rank, 2 + rank, dir), {.timeout = std::chrono::seconds(5)});
  });
  EXPECT_THAT(answers.sentences,
              Each(HasSubstr("rank 1 disagrees with rank 0 about the number of ranks: it is '3' "
                             "there and '2' on rank 0")));
}

TEST(JoinRanks, ARankTooManyNoticesItAloneAndTheOthersGoOn) {
  const ScratchDir dir;
  const auto answers = join_each(3, [&](int rank) {
    const auto ranks = join_ranks(rank_of(rank, rank == 2 ? 3 : 2, dir));
    ranks->barrier();
  });
  EXPECT_EQ(answers.sentences[0], "nothing was wrong");
  EXPECT_EQ(answers.sentences[1], "nothing was wrong");
  EXPECT_THAT(answers.sentences[2], HasSubstr("about the number of ranks"));
}

TEST(JoinRanks, MeetByTcp) {
  auto [socket, port] = taken_port();
  socket.close();
  const auto answers = join_each(2, [&, port = port](int rank) {
    const auto ranks = join_ranks({.rank = rank, .world = 2, .address = "127.0.0.1", .port = port});
    auto one = torch::ones({1});
    ranks->all_reduce(one);
    EXPECT_EQ(one.item<float>(), 2);
    ranks->barrier();
  });
  EXPECT_THAT(answers.sentences, Each("nothing was wrong"));
}

TEST(JoinRanks, EveryRankHearsOfADisagreementByTcp) {
  auto [socket, port] = taken_port();
  socket.close();
  const auto answers = join_each(3, [&, port = port](int rank) {
    join_ranks({.rank = rank, .world = 3, .address = "localhost", .port = port},
               {.must_agree = {{"program", std::to_string(rank)}}});
  });
  EXPECT_THAT(answers.sentences, Each(HasSubstr("about the program: it is '1' there")));
}

TEST(JoinRanks, SaysThatAPortIsInUse) {
  const auto [socket, port] = taken_port();
  const auto sentence = error_message_of([port = port] {
    join_ranks({.rank = 0, .world = 2, .address = "127.0.0.1", .port = port},
               {.timeout = std::chrono::milliseconds(300)});
  });
  EXPECT_THAT(sentence, StartsWith(concat("port ", port, " of 127.0.0.1 is in use")));
  EXPECT_THAT(sentence, HasSubstr("set MASTER_PORT to a free one"));
}

TEST(JoinRanks, SaysThatNobodyAnswers) {
  auto [socket, port] = taken_port();
  socket.close();
  EXPECT_THAT(error_message_of([port = port] {
                join_ranks({.rank = 1, .world = 2, .address = "127.0.0.1", .port = port},
                           {.timeout = std::chrono::milliseconds(300)});
              }),
              HasSubstr(concat("rank 1 of 2 could not reach 127.0.0.1:", port, " within 0.3 s")));
  EXPECT_THAT(error_message_of([] {
                join_ranks({.rank = 1, .world = 2, .address = "no.such.host.invalid", .port = 1});
              }),
              HasSubstr("MASTER_ADDR is 'no.such.host.invalid', which this host does not know"));
}

}  // namespace
}  // namespace projnce::distributed
