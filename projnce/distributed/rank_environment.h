#pragma once

#include <filesystem>
#include <string>

namespace projnce {

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

}  // namespace projnce
