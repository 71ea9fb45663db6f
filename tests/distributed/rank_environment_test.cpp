#include "projnce/distributed/join_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/environment.h"
#include "tests/support/error_message.h"

namespace projnce::distributed {
namespace {

using ::testing::AllOf;
using testing::error_message_of;
using ::testing::HasSubstr;

class RankEnvironmentTest : public ::testing::Test {
 protected:
  RankEnvironmentTest() {
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "MPI_LOCALRANKID",
                             "MPI_LOCALNRANKS",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_LOCALID",
                             "SLURM_STEP_ID",
                             "SLURM_NODEID",
                             "SLURM_STEP_TASKS_PER_NODE",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "TORCHELASTIC_RESTART_COUNT",
                             "PROJNCE_STORE_FILE",
                             "PROJNCE_LAUNCH_DIR",
                             "PROJNCE_RESTART_COUNT"}) {
      guard_.set(name, std::nullopt);
    }
  }

  void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) guard_.set(name, value);
  }

  std::string error_with(const std::map<std::string, std::string>& variables) {
    set(variables);
    return error_message_of([] { read_rank_environment(); });
  }

 private:
  testing::EnvironmentGuard guard_;
};

TEST_F(RankEnvironmentTest, IsSingleProcessWithoutLauncher) {
  const auto environment = read_rank_environment();
  EXPECT_EQ(environment.rank, 0);
  EXPECT_EQ(environment.world, 1);
  EXPECT_EQ(environment.local_world, 1);
}

TEST_F(RankEnvironmentTest, ReadsTorchrun) {
  set({{"RANK", "5"},
       {"WORLD_SIZE", "8"},
       {"LOCAL_RANK", "1"},
       {"LOCAL_WORLD_SIZE", "4"},
       {"MASTER_ADDR", "node7"},
       {"MASTER_PORT", "29500"},
       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
       {"TORCHELASTIC_RESTART_COUNT", "2"}});
  const auto environment = read_rank_environment();
  EXPECT_EQ(environment.rank, 5);
  EXPECT_EQ(environment.world, 8);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.local_world, 4);
  EXPECT_EQ(environment.address, "node7");
  EXPECT_EQ(environment.port, 29500);
  EXPECT_TRUE(environment.agent_store);
  EXPECT_EQ(environment.restart, 2);
}

TEST_F(RankEnvironmentTest, ReadsProjnceLaunchWithoutPort) {
  set({{"RANK", "1"},
       {"WORLD_SIZE", "2"},
       {"PROJNCE_STORE_FILE", "/tmp/x/store"},
       {"PROJNCE_LAUNCH_DIR", "/tmp/x"},
       {"PROJNCE_RESTART_COUNT", "1"},
       {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  const auto environment = read_rank_environment();
  EXPECT_EQ(environment.store_file, "/tmp/x/store");
  EXPECT_EQ(environment.launch_dir, "/tmp/x");
  EXPECT_EQ(environment.restart, 1);
  EXPECT_EQ(environment.local_world, 2);
  EXPECT_FALSE(environment.agent_store);
}

TEST_F(RankEnvironmentTest, ReadsMpirunAndMpich) {
  set({{"MASTER_ADDR", "node7"}, {"MASTER_PORT", "1234"}});
  set({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}});
  EXPECT_EQ(read_rank_environment().world, 3);
  set({{"OMPI_COMM_WORLD_RANK", "2"},
       {"OMPI_COMM_WORLD_SIZE", "4"},
       {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  const auto environment = read_rank_environment();
  EXPECT_EQ(environment.rank, 2);
  EXPECT_EQ(environment.world, 4);
  EXPECT_EQ(environment.local_world, 2);
}

TEST_F(RankEnvironmentTest, ReadsSrunTasksButNotSbatchScript) {
  set({{"SLURM_PROCID", "3"},
       {"SLURM_NTASKS", "6"},
       {"SLURM_LOCALID", "1"},
       {"MASTER_ADDR", "node7"},
       {"MASTER_PORT", "1234"}});
  EXPECT_EQ(read_rank_environment().world, 1);  // no step: the batch script
  set({{"SLURM_STEP_ID", "4294967291"}});
  EXPECT_EQ(read_rank_environment().world, 1);  // the reserved step of the batch script
  set({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1,1"}, {"SLURM_NODEID", "1"}});
  const auto environment = read_rank_environment();
  EXPECT_EQ(environment.rank, 3);
  EXPECT_EQ(environment.world, 6);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.local_world, 2);
  set({{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(read_rank_environment().world, 1);
}

TEST_F(RankEnvironmentTest, AssumesAllRanksAreLocalWithLoopbackAddress) {
  set({{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_PORT", "1234"}, {"MASTER_ADDR", "127.0.0.1"}});
  EXPECT_EQ(read_rank_environment().local_rank, 1);
  EXPECT_EQ(read_rank_environment().local_world, 3);
  set({{"MASTER_ADDR", "node7"}});
  EXPECT_EQ(read_rank_environment().local_world, 1);
}

TEST_F(RankEnvironmentTest, RejectsInvalidVariables) {
  EXPECT_THAT(error_with({{"RANK", "0"}}),
              HasSubstr("environment variable RANK is set, but WORLD_SIZE is not"));
  EXPECT_THAT(error_with({{"RANK", ""}, {"WORLD_SIZE", "2"}}),
              HasSubstr("WORLD_SIZE is set, but RANK is not"));
  EXPECT_THAT(error_with({{"RANK", "2"}}),
              HasSubstr("RANK=2 and WORLD_SIZE=2, expected RANK < WORLD_SIZE"));
  EXPECT_THAT(error_with({{"RANK", "1x"}}), HasSubstr("RANK is '1x', expected a non-negative"));
  EXPECT_THAT(error_with({{"RANK", "-1"}}), HasSubstr("RANK is '-1', expected a non-negative"));
  EXPECT_THAT(error_with({{"RANK", "99999999999"}}), HasSubstr("expected a non-negative integer"));
  EXPECT_THAT(error_with({{"RANK", "1"}}),
              AllOf(HasSubstr("rank 1 of 2"), HasSubstr("variable MASTER_ADDR is not set"),
                    HasSubstr("export MASTER_ADDR=<host of rank 0>")));
  EXPECT_THAT(error_with({{"MASTER_ADDR", "localhost"}}), HasSubstr("variable MASTER_PORT"));
  EXPECT_THAT(error_with({{"MASTER_PORT", "70000"}}),
              HasSubstr("MASTER_PORT is 70000, expected 1 to 65535"));
  EXPECT_THAT(error_with({{"MASTER_PORT", "700"}, {"LOCAL_RANK", "3"}}),
              HasSubstr("LOCAL_RANK=3, but this host has 2 ranks"));
}

}  // namespace
}  // namespace projnce::distributed
