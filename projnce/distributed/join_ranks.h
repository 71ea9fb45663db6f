#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projnce/distributed/process_group.h"

namespace projnce::distributed {

/// Which of several processes that train together this one is, and where they meet.
struct RankEnvironment {
  int rank = 0;
  int world = 1;        ///< number of ranks
  int local_rank = 0;   ///< among the ranks of this host
  int local_world = 1;  ///< ranks of this host; they share its cores
  std::string address;  ///< host of rank 0; empty where ranks meet by a file
  int port = 0;
  std::filesystem::path store_file;  ///< where ranks of one host meet; empty where they meet by TCP
  bool agent_store = false;          ///< the launcher serves at address:port; otherwise rank 0 does
  int restart = 0;                   ///< how often the launcher has started the ranks again
  std::filesystem::path launch_dir;  ///< directory that the ranks of `projnce launch` share
};

/// Reads what launchers put into the environment: `projnce launch` and torchrun (RANK, WORLD_SIZE,
/// ...), mpirun (OMPI_COMM_WORLD_*), MPICH (PMI_*), srun (SLURM_*). Without any of them we are
/// alone. Throws where variables are missing or contradict each other.
RankEnvironment read_rank_environment();

/// Whether a host is this one by the loopback interface: localhost, 127.*, ::1.
bool is_loopback(const std::string& host);

struct JoinOptions {
  /// How long ranks wait for each other, when they join and in each operation.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  /// Name and text: the texts must be the same on every rank, such as {"configuration", "..."}.
  std::vector<std::pair<std::string, std::string>> must_agree;
};

/// Waits for the other ranks and joins them; at once where the environment knows of one rank only.
/// Where ranks contradict each other (Fault::kInput) or not all came in time (Fault::kRuntime),
/// every rank that came throws the same sentence.
ProcessGroupPtr join_ranks(const RankEnvironment& environment, const JoinOptions& options = {});

}  // namespace projnce::distributed
