#include "projnce/distributed/join_ranks.h"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/distributed/process_group_impl.h"
#include "projnce/distributed/rendezvous.h"

namespace projnce::distributed {

namespace {

/// Environment variables with which a launcher assigns ranks.
struct LauncherVariables {
  const char* rank;
  const char* world;
  const char* local_rank;
  const char* local_world;
};

constexpr LauncherVariables kTorchrun = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr LauncherVariables kMpirun = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                       "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr LauncherVariables kMpich = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr LauncherVariables kSrun = {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr};

/// Returns nullopt if the variable is unset or empty.
std::optional<std::string> rank_variable(const char* name) {
  const char* value = name == nullptr ? nullptr : std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<int64_t> rank_number(const char* name,
                                   int64_t largest = std::numeric_limits<int>::max()) {
  const auto text = rank_variable(name);
  if (!text) return std::nullopt;
  int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, number);
  if (problem != std::errc() || stop != end || number < 0 || number > largest) {
    fail("environment variable ", name, " is '", *text, "', expected a non-negative integer");
  }
  return number;
}

/// Returns true if this process is one of several tasks started by srun. In an sbatch script the
/// same variables may describe the whole allocation although only one process runs, which must not
/// wait for others. Such a script has no step ID, or one of SLURM's reserved IDs.
bool started_by_srun() {
  constexpr int64_t kFirstReservedStep = 0xfffffff0;
  const auto step = rank_number("SLURM_STEP_ID", std::numeric_limits<uint32_t>::max());
  return step && *step < kFirstReservedStep && rank_number(kSrun.world).value_or(1) > 1;
}

std::optional<LauncherVariables> launcher_variables() {
  for (const auto& variables : {kTorchrun, kMpirun, kMpich}) {
    if (rank_variable(variables.rank) || rank_variable(variables.world)) return variables;
  }
  if (started_by_srun()) return kSrun;
  return std::nullopt;
}

int required_number(const char* name, const char* partner) {
  const auto number = rank_number(name);
  if (!number) {
    fail(Hint{concat("set both to train with several processes, or unset ", partner)},
         "environment variable ", partner, " is set, but ", name, " is not");
  }
  return static_cast<int>(*number);
}

void read_rank(const LauncherVariables& variables, RankEnvironment& environment) {
  environment.rank = required_number(variables.rank, variables.world);
  environment.world = required_number(variables.world, variables.rank);
  if (environment.rank >= environment.world) {
    fail("the environment has ", variables.rank, "=", environment.rank, " and ", variables.world,
         "=", environment.world, ", expected ", variables.rank, " < ", variables.world);
  }
}

void require_master_address(const RankEnvironment& environment) {
  const char* missing = environment.address.empty() ? "MASTER_ADDR"
                        : environment.port == 0     ? "MASTER_PORT"
                                                    : nullptr;
  if (missing == nullptr) return;
  fail(Hint{"export MASTER_ADDR=<host of rank 0> and MASTER_PORT=<a free port there>, the same for "
            "all ranks; on one host, projnce launch needs neither"},
       "rank ", environment.rank, " of ", environment.world,
       " cannot find the other ranks: environment variable ", missing, " is not set");
}

void read_rendezvous(RankEnvironment& environment) {
  constexpr int64_t kLastPort = 65535;
  environment.store_file = rank_variable("PROJNCE_STORE_FILE").value_or("");
  if (!environment.store_file.empty()) return;
  environment.address = rank_variable("MASTER_ADDR").value_or("");
  const auto port = rank_number("MASTER_PORT").value_or(0);
  if (port > kLastPort) {
    fail("environment variable MASTER_PORT is ", port, ", expected 1 to ", kLastPort);
  }
  environment.port = static_cast<int>(port);
  environment.agent_store =
      rank_variable("TORCHELASTIC_USE_AGENT_STORE").value_or("False") == "True";
  require_master_address(environment);
}

/// Returns the number of tasks on node `node` from a list such as "2(x3),1" (two tasks on each of
/// three nodes, then one), or 0 if the list does not cover the node.
int tasks_of_node(const std::string& list, int64_t node) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int tasks = 0;
    int64_t nodes = 1;
    if (std::sscanf(part.c_str(), "%d(x%ld)", &tasks, &nodes) < 1) return 0;
    if (node < nodes) return tasks;
    node -= nodes;
  }
  return 0;
}

/// Returns the number of ranks on this host as set by the launcher, or 0 if it is not set.
int read_local_world(const LauncherVariables& variables) {
  if (variables.local_world != nullptr) {
    return static_cast<int>(rank_number(variables.local_world).value_or(0));
  }
  return tasks_of_node(rank_variable("SLURM_STEP_TASKS_PER_NODE").value_or(""),
                       rank_number("SLURM_NODEID").value_or(0));
}

/// If the launcher does not set the number of ranks on this host, assumes that all ranks run here
/// when the rendezvous is local (a file or a loopback address).
void read_local(const LauncherVariables& variables, RankEnvironment& environment) {
  const bool one_host = !environment.store_file.empty() || is_loopback(environment.address);
  environment.local_rank =
      static_cast<int>(rank_number(variables.local_rank).value_or(one_host ? environment.rank : 0));
  environment.local_world = read_local_world(variables);
  if (environment.local_world == 0) {
    environment.local_world = one_host ? environment.world : environment.local_rank + 1;
  }
  if (environment.local_rank >= environment.local_world) {
    fail("the environment has ", variables.local_rank, "=", environment.local_rank,
         ", but this host has ", counted(environment.local_world, "rank"));
  }
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

RankEnvironment read_rank_environment() {
  RankEnvironment environment;
  const auto variables = launcher_variables();
  if (!variables) return environment;
  read_rank(*variables, environment);
  if (environment.world > 1) {
    read_rendezvous(environment);
    read_local(*variables, environment);
  }
  environment.restart = static_cast<int>(rank_number(rank_variable("PROJNCE_RESTART_COUNT")
                                                         ? "PROJNCE_RESTART_COUNT"
                                                         : "TORCHELASTIC_RESTART_COUNT")
                                             .value_or(0));
  environment.launch_dir = rank_variable("PROJNCE_LAUNCH_DIR").value_or("");
  return environment;
}

namespace {

/// Honors GLOO_SOCKET_IFNAME, c10d's variable for hosts with several networks.
std::shared_ptr<::gloo::transport::Device> gloo_device(const RankEnvironment& environment) {
  using Gloo = c10d::ProcessGroupGloo;
  if (!environment.store_file.empty()) return Gloo::createDeviceForHostname("127.0.0.1");
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface != nullptr && *interface != '\0') return Gloo::createDeviceForInterface(interface);
  return Gloo::createDeviceForHostname(local_address_toward(environment.address, environment.port));
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> connect_ranks(
    const c10::intrusive_ptr<c10d::Store>& store, const RankEnvironment& environment,
    std::chrono::milliseconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(gloo_device(environment));
  options->threads = 2;  // one all-reduce is in flight while the next one starts
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("gloo", store), environment.rank, environment.world,
      options);
}

/// Reports that ranks met at the rendezvous but could not connect to each other.
[[noreturn]] void fail_to_join(const RankEnvironment& environment, const JoinOptions& options,
                               const std::string& reason) {
  fail_runtime("rank ", environment.rank, " of ", environment.world,
               " could not connect to the other ranks: a rank died or did not respond within ",
               in_seconds(options.timeout), " (", reason, ")");
}

/// Runs `work` in its own thread and returns false if it does not finish within `limit`. The thread
/// is detached then, so `work` must own everything it uses. Needed because a TCPStore client waits
/// forever if the server disappears without closing the connection.
bool run_with_timeout(std::chrono::milliseconds limit, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  auto done = task.get_future();
  std::thread thread(std::move(task));
  const bool in_time = done.wait_for(limit) == std::future_status::ready;
  in_time ? thread.join() : thread.detach();
  if (in_time) done.get();
  return in_time;
}

}  // namespace

ProcessGroupPtr join_ranks(const RankEnvironment& environment, const JoinOptions& options) {
  if (environment.world == 1) return ProcessGroup::single_process();
  auto group = std::make_shared<ProcessGroupImpl>();
  group->rank = environment.rank;
  group->world = environment.world;
  group->timeout = options.timeout;
  group->store = open_store(environment, options.timeout);
  try {
    // The rendezvous and the connections have one timeout each.
    const auto limit = 2 * options.timeout + std::chrono::seconds(2);
    const bool done = run_with_timeout(limit, [group, environment, options] {
      Rendezvous(*group->store, environment, options).run();
      group->gloo = connect_ranks(group->store, environment, options.timeout);
    });
    if (!done) fail_to_join(environment, options, "no response from the rendezvous store");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail_to_join(environment, options, first_line_of(error));
  }
  return std::make_shared<ProcessGroup>(std::move(group));
}

}  // namespace projnce::distributed
