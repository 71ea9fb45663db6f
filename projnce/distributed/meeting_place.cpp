#include "projnce/distributed/meeting_place.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <sstream>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/rank_group.h"
#include "projnce/io/file_descriptor.h"
#include "projnce/io/system_error.h"

namespace projnce {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList resolve(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (problem != 0) {
    fail(Hint{"set it to the name or address of the host of rank 0"}, "MASTER_ADDR is '", host,
         "', which this host does not know: ", ::gai_strerror(problem));
  }
  return {found, &::freeaddrinfo};
}

std::string place_of(const RankEnvironment& environment) {
  return concat(environment.address, ":", environment.port);
}

[[noreturn]] void fail_to_serve(const RankEnvironment& environment, const std::string& reason) {
  if (reason.find("EADDRINUSE") != std::string::npos ||
      reason.find("already in use") != std::string::npos) {
    fail(Hint{"set MASTER_PORT to a free one, the same for all ranks"}, "port ", environment.port,
         " of ", environment.address, " is in use; rank 0 wanted to meet the others there");
  }
  fail_working("rank 0 cannot meet the others at ", place_of(environment), ": ", reason);
}

c10::intrusive_ptr<c10d::Store> open_tcp_store(const RankEnvironment& environment,
                                               std::chrono::milliseconds timeout) {
  resolve(environment.address, environment.port);  // names a wrong host at once
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(environment.port);
  options.isServer = environment.rank == 0 && !environment.agent_store;
  options.numWorkers = environment.world;
  options.waitWorkers = false;  // Meeting waits, and can say who is missing
  options.timeout = timeout;
  options.useLibUV = false;  // Debian's LibTorch is built without it
  try {
    return c10::make_intrusive<c10d::TCPStore>(environment.address, options);
  } catch (const std::exception& error) {
    if (options.isServer) fail_to_serve(environment, error.what());
    fail_working(Hint{"check MASTER_ADDR and MASTER_PORT, and whether rank 0 runs"}, "rank ",
                 environment.rank, " of ", environment.world, " could not reach ",
                 place_of(environment), " within ", in_seconds(timeout));
  }
}

}  // namespace

std::string in_seconds(std::chrono::milliseconds time) {
  return concat(static_cast<double>(time.count()) / 1000, " s");
}

std::string plain_reason(const std::exception& error) {
  std::string text = error.what();
  text = text.substr(0, text.find('\n'));
  const auto place_end = text.find("] ");
  if (text.starts_with('[') && place_end != std::string::npos) text.erase(0, place_end + 2);
  return text;
}

c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment,
                                           std::chrono::milliseconds timeout) {
  c10::intrusive_ptr<c10d::Store> store;
  if (environment.store_file.empty()) {
    store = open_tcp_store(environment, timeout);
  } else {
    store =
        c10::make_intrusive<c10d::FileStore>(environment.store_file.string(), environment.world);
  }
  store->setTimeout(timeout);
  // The launcher's server outlives its ranks: notes of an earlier attempt are still there.
  return c10::make_intrusive<c10d::PrefixStore>(concat("attempt-", environment.restart), store);
}

std::string own_address_towards(const std::string& host, int port) {
  const auto addresses = resolve(host, port);
  const FileDescriptor socket(
      ::socket(addresses->ai_family, addresses->ai_socktype, addresses->ai_protocol));
  sockaddr_storage own = {};
  socklen_t length = sizeof(own);
  char digits[NI_MAXHOST];
  // Connecting a datagram socket sends nothing; it asks the system for the way.
  if (::connect(socket.get(), addresses->ai_addr, addresses->ai_addrlen) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
    fail_system(errno, "no way to ", host);
  }
  ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, digits, sizeof(digits), nullptr, 0,
                NI_NUMERICHOST);
  return digits;
}

}  // namespace projnce
