#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projnce/distributed/process_group.h"

namespace projnce::distributed {

/// The rank of this process within a distributed run, and the rendezvous of its ranks.
struct RankEnvironment {
  int rank = 0;
  int world = 1;        ///< number of ranks
  int local_rank = 0;   ///< rank on this host
  int local_world = 1;  ///< number of ranks on this host; they share its cores
  std::string address;  ///< host of rank 0; empty if `store_file` is used
  int port = 0;
  std::filesystem::path store_file;  ///< rendezvous file of a single-host run; empty for TCP
  bool agent_store = false;          ///< if true, the launcher serves the store, otherwise rank 0
  int restart = 0;                   ///< number of times the launcher has restarted the ranks
  std::filesystem::path launch_dir;  ///< directory shared by the ranks of `projnce launch`
};

/// Reads the environment variables of `projnce launch` and torchrun (RANK, WORLD_SIZE, ...), mpirun
/// (OMPI_COMM_WORLD_*), MPICH (PMI_*) or srun (SLURM_*). Returns a single-process environment if
/// none of them is set. Throws if variables are missing or inconsistent.
RankEnvironment read_rank_environment();

/// Returns true for names of the loopback interface: localhost, 127.*, ::1.
bool is_loopback(const std::string& host);

struct JoinOptions {
  /// Maximum time to wait for other ranks, when joining and in each collective.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  /// Pairs of name and text, such as {"configuration", "..."}; the text must be the same on every
  /// rank.
  std::vector<std::pair<std::string, std::string>> must_agree;
};

/// Waits for the other ranks and returns the process group; returns at once for a single process.
/// If ranks disagree (ErrorKind::kInput) or some are missing after the timeout
/// (ErrorKind::kRuntime), every rank that arrived throws the same message.
ProcessGroupPtr join_ranks(const RankEnvironment& environment, const JoinOptions& options = {});

}  // namespace projnce::distributed
