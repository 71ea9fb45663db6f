#include "projnce/distributed/join_ranks.h"

#include <cstdlib>
#include <functional>
#include <future>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/meeting.h"
#include "projnce/distributed/meeting_place.h"
#include "projnce/distributed/rank_group.h"

namespace projnce {

namespace {

/// GLOO_SOCKET_IFNAME is what users of c10d know for hosts with several networks.
std::shared_ptr<::gloo::transport::Device> gloo_device(const RankEnvironment& environment) {
  using Gloo = c10d::ProcessGroupGloo;
  if (!environment.store_file.empty()) return Gloo::createDeviceForHostname("127.0.0.1");
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface != nullptr && *interface != '\0') return Gloo::createDeviceForInterface(interface);
  return Gloo::createDeviceForHostname(own_address_towards(environment.address, environment.port));
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> connect_ranks(
    const c10::intrusive_ptr<c10d::Store>& store, const RankEnvironment& environment,
    std::chrono::milliseconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(gloo_device(environment));
  options->threads = 2;  // one sum is sent while the next one starts
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("gloo", store), environment.rank, environment.world,
      options);
}

/// The sentence when ranks that met do not get through to each other.
[[noreturn]] void fail_to_join(const RankEnvironment& environment, const JoinOptions& options,
                               const std::string& reason) {
  fail_working("rank ", environment.rank, " of ", environment.world,
               " could not join the others: a rank died or did not answer within ",
               in_seconds(options.timeout), " (", reason, ")");
}

/// A client of the TCP store waits for ever where the server is gone without a word. So `work` is
/// done in a thread of its own, which is left behind then; it must own what it uses.
/// Returns false where it is not done in time.
bool done_within(std::chrono::milliseconds limit, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  auto done = task.get_future();
  std::thread thread(std::move(task));
  const bool in_time = done.wait_for(limit) == std::future_status::ready;
  in_time ? thread.join() : thread.detach();
  if (in_time) done.get();
  return in_time;
}

}  // namespace

RanksPtr join_ranks(const RankEnvironment& environment, const JoinOptions& options) {
  if (environment.world == 1) return Ranks::alone();
  auto group = std::make_shared<RankGroup>();
  group->rank = environment.rank;
  group->world = environment.world;
  group->timeout = options.timeout;
  group->store = open_store(environment, options.timeout);
  try {
    // The meeting and the connections have one timeout each.
    const auto limit = 2 * options.timeout + std::chrono::seconds(2);
    const bool done = done_within(limit, [group, environment, options] {
      Meeting(*group->store, environment, options).hold();
      group->gloo = connect_ranks(group->store, environment, options.timeout);
    });
    if (!done) fail_to_join(environment, options, "no answer from where ranks meet");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail_to_join(environment, options, plain_reason(error));
  }
  return std::make_shared<Ranks>(std::move(group));
}

}  // namespace projnce
