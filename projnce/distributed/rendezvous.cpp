#include "projnce/distributed/rendezvous.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <sstream>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "projnce/core/error.h"
#include "projnce/distributed/process_group_impl.h"
#include "projnce/io/filesystem/file_descriptor.h"
#include "projnce/io/printable.h"

namespace projnce::distributed {

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList resolve(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (problem != 0) {
    fail(Hint{"set it to the name or address of rank 0's host"}, "MASTER_ADDR is '", host,
         "', which cannot be resolved: ", ::gai_strerror(problem));
  }
  return {found, &::freeaddrinfo};
}

std::string host_and_port(const RankEnvironment& environment) {
  return concat(environment.address, ":", environment.port);
}

[[noreturn]] void fail_to_serve(const RankEnvironment& environment, const std::string& reason) {
  if (reason.find("EADDRINUSE") != std::string::npos ||
      reason.find("already in use") != std::string::npos) {
    fail(Hint{"set MASTER_PORT to a free port, the same for all ranks"}, "rank 0 cannot listen on ",
         environment.address, ": port ", environment.port, " is in use");
  }
  fail_runtime("rank 0 cannot listen on ", host_and_port(environment), ": ", reason);
}

c10::intrusive_ptr<c10d::Store> open_tcp_store(const RankEnvironment& environment,
                                               std::chrono::milliseconds timeout) {
  resolve(environment.address, environment.port);  // fails fast on an unknown host
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(environment.port);
  options.isServer = environment.rank == 0 && !environment.agent_store;
  options.numWorkers = environment.world;
  options.waitWorkers = false;  // Rendezvous waits instead and reports which ranks are missing
  options.timeout = timeout;
  options.useLibUV = false;  // Debian's LibTorch is built without it
  try {
    return c10::make_intrusive<c10d::TCPStore>(environment.address, options);
  } catch (const std::exception& error) {
    if (options.isServer) fail_to_serve(environment, error.what());
    fail_runtime(Hint{"check MASTER_ADDR and MASTER_PORT, and that rank 0 is running"}, "rank ",
                 environment.rank, " of ", environment.world, " could not reach ",
                 host_and_port(environment), " within ", in_seconds(timeout));
  }
}

}  // namespace

std::string in_seconds(std::chrono::milliseconds time) {
  return concat(static_cast<double>(time.count()) / 1000, " s");
}

std::string first_line_of(const std::exception& error) {
  std::string text = error.what();
  text = text.substr(0, text.find('\n'));
  const auto location_end = text.find("] ");
  if (text.starts_with('[') && location_end != std::string::npos) text.erase(0, location_end + 2);
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
  // The launcher's store outlives its ranks and still holds the keys of earlier attempts.
  return c10::make_intrusive<c10d::PrefixStore>(concat("attempt-", environment.restart), store);
}

std::string local_address_toward(const std::string& host, int port) {
  const auto addresses = resolve(host, port);
  const io::FileDescriptor socket(
      ::socket(addresses->ai_family, addresses->ai_socktype, addresses->ai_protocol));
  sockaddr_storage own = {};
  socklen_t length = sizeof(own);
  char digits[NI_MAXHOST];
  // Connecting a datagram socket sends nothing; it only looks up the route.
  if (::connect(socket.get(), addresses->ai_addr, addresses->ai_addrlen) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
    io::fail_system(errno, "no route to ", host);
  }
  ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, digits, sizeof(digits), nullptr, 0,
                NI_NUMERICHOST);
  return digits;
}

namespace {

constexpr auto kPoll = std::chrono::milliseconds(5);
constexpr auto kVerdictKey = "verdict";
const std::string kAgreed = "agreed";

// A verdict is kAgreed, or an error in three lines: kind, message, hint.

std::string verdict_text(const Error& error) {
  return concat(error.kind() == ErrorKind::kInput ? "input" : "work", "\n", error.what(), "\n",
                error.hint());
}

[[noreturn]] void throw_verdict(const std::string& verdict) {
  std::istringstream lines(verdict);
  std::string kind, message, hint;
  std::getline(lines, kind);
  std::getline(lines, message);
  std::getline(lines, hint);
  throw Error(message, hint, kind == "input" ? ErrorKind::kInput : ErrorKind::kRuntime);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns line `index` quoted and shortened for an error message.
std::string quoted_line(const std::vector<std::string>& lines, size_t index) {
  constexpr size_t kLongest = 120;
  if (index >= lines.size()) return "missing";
  const auto line = io::printable(lines[index]);
  return concat('\'', line.size() <= kLongest ? line : line.substr(0, kLongest) + "...", '\'');
}

[[noreturn]] void fail_mismatch(int rank, const std::string& name, const std::string& first_text,
                                const std::string& rank_text) {
  const auto first = lines_of(first_text);
  const auto other = lines_of(rank_text);
  const auto difference = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto index = static_cast<size_t>(difference.first - first.begin());
  const auto where =
      std::max(first.size(), other.size()) > 1 ? concat("line ", index + 1, " is ") : "it is ";
  fail(Hint{"start all ranks with the same program, arguments and files"}, "the ", name,
       " differs between ranks: ", where, quoted_line(other, index), " on rank ", rank, " and ",
       quoted_line(first, index), " on rank 0");
}

std::string key_of(const std::string& kind, int rank) {
  return concat(kind, "/", rank);
}

}  // namespace

Rendezvous::Rendezvous(c10d::Store& store, const RankEnvironment& environment,
                       const JoinOptions& options)
    : store_(store),
      environment_(environment),
      must_agree_(options.must_agree),
      timeout_(options.timeout),
      deadline_(std::chrono::steady_clock::now() + options.timeout) {
  must_agree_.insert(must_agree_.begin(), {"number of ranks", std::to_string(environment.world)});
}

void Rendezvous::run() {
  std::string verdict;
  try {
    verdict = check_in();
  } catch (const Error& error) {
    verdict = conclude(verdict_text(error));
  }
  if (verdict != kAgreed) {
    wait_for_readers();
    throw_verdict(verdict);
  }
  compare_texts(environment_.rank);  // rank 0 only checks the ranks below its own world size
}

std::string Rendezvous::check_in() {
  const int rank = environment_.rank;
  store_.add("arrived", 1);
  if (store_.add(key_of("claimed", rank), 1) > 1) {
    fail(Hint{"give every process a unique rank"}, "two processes claim rank ", rank, " of ",
         environment_.world);
  }
  for (const auto& [name, text] : must_agree_) set_key(key_of("text/" + name, rank), text);
  set_key(key_of("here", rank), "yes");
  if (rank == 0) {
    wait_for_all_ranks();
    if (has_key(kVerdictKey)) return get_key(kVerdictKey);
    for (int other = 1; other < environment_.world; ++other) compare_texts(other);
    return conclude(kAgreed);
  }
  if (!wait_until([&] { return has_key(kVerdictKey); })) fail_timeout();
  return get_key(kVerdictKey);
}

void Rendezvous::wait_for_all_ranks() {
  int next = 1;
  const bool in_time = wait_until([&] {
    while (next < environment_.world && has_key(key_of("here", next))) ++next;
    return next == environment_.world || has_key(kVerdictKey);
  });
  if (!in_time) fail_timeout();
}

void Rendezvous::compare_texts(int rank) {
  for (const auto& [name, own_text] : must_agree_) {
    const auto first = get_key(key_of("text/" + name, 0));
    const auto key = key_of("text/" + name, rank);
    const auto other = has_key(key) ? get_key(key) : "";
    if (first != other) fail_mismatch(rank, name, first, other);
  }
}

bool Rendezvous::wait_until(const std::function<bool()>& done) {
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline_) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

std::string Rendezvous::conclude(const std::string& verdict) {
  if (store_.add("conclusions", 1) == 1) set_key(kVerdictKey, verdict);
  return get_key(kVerdictKey);
}

/// Rank 0's server ends with rank 0, so rank 0 waits until the others have read the verdict. The
/// wait is bounded because one of them may be dead.
void Rendezvous::wait_for_readers() {
  store_.add("left", 1);
  if (environment_.rank != 0) return;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  wait_until([&] { return store_.add("left", 0) >= store_.add("arrived", 0); });
}

void Rendezvous::fail_timeout() {
  int joined = 0;
  std::string missing;
  for (int rank = 0; rank < environment_.world; ++rank) {
    if (has_key(key_of("here", rank))) {
      ++joined;
    } else {
      missing += concat(missing.empty() ? "" : ", ", rank);
    }
  }
  fail_runtime(joined, " of ", environment_.world, " ranks joined within ", in_seconds(timeout_),
               "; missing: ", missing);
}

std::string Rendezvous::get_key(const std::string& key) {
  const auto bytes = store_.get(key);
  return {bytes.begin(), bytes.end()};
}

void Rendezvous::set_key(const std::string& key, const std::string& text) {
  store_.set(key, std::vector<uint8_t>(text.begin(), text.end()));
}

bool Rendezvous::has_key(const std::string& key) {
  return store_.check({key});
}

}  // namespace projnce::distributed
