#include "projnce/report/server/bounded_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace projnce::report {

namespace {

using Clock = BoundedServer::Clock;
using End = std::atomic<Clock::time_point>;

/// Waits until the socket is ready for `events`, but not beyond `deadline` or `end`, which may
/// change meanwhile.
bool wait_for(socket_t socket, short events, Clock::time_point deadline, const End& end) {
  constexpr int kSliceMilliseconds = 100;
  for (;;) {
    pollfd waiting{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, kSliceMilliseconds);
    if (Clock::now() >= std::min(deadline, end.load())) return false;
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

enum class HeadResult { kComplete, kNone, kTooLong, kTooSlow };

/// Reads the request line and the headers into `head`.
HeadResult read_head(socket_t socket, const End& end, std::string& head) {
  const auto deadline = Clock::now() + std::chrono::seconds(BoundedServer::kHeadSeconds);
  for (;;) {
    if (!wait_for(socket, POLLIN, deadline, end)) {
      return head.empty() ? HeadResult::kNone : HeadResult::kTooSlow;
    }
    char buffer[4096];
    const auto count = ::recv(socket, buffer, sizeof(buffer), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return HeadResult::kNone;
    const size_t searched = head.size() < 3 ? 0 : head.size() - 3;
    head.append(buffer, static_cast<size_t>(count));
    const auto blank = head.find("\r\n\r\n", searched);
    head.resize(std::min(head.size(), blank == head.npos ? blank : blank + 4));
    if (head.size() > BoundedServer::kMostHeadBytes) return HeadResult::kTooLong;
    if (blank != head.npos) return HeadResult::kComplete;
  }
}

/// A connection whose request has been read.
class ReadRequest : public httplib::Stream {
 public:
  ReadRequest(socket_t socket, std::string_view head, const End& end)
      : socket_(socket), head_(head), end_(end) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return Clock::now() < deadline(); }

  ssize_t read(char* to, size_t size) override {
    const auto count = head_.copy(to, size);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, size_t size) override {
    if (!wait_for(socket_, POLLOUT, deadline(), end_)) return -1;
    const auto count = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    written_ += static_cast<double>(count);
    return count;
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  Clock::time_point deadline() const {
    const std::chrono::duration<double> allowed(BoundedServer::kStallSeconds +
                                                written_ / BoundedServer::kSlowestRate);
    return start_ + std::chrono::duration_cast<Clock::duration>(allowed);
  }

  socket_t socket_;
  std::string_view head_;
  const End& end_;
  Clock::time_point start_ = Clock::now();
  double written_ = 0;
};

void send_status(socket_t socket, std::string_view status) {
  const auto text =
      "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

BoundedServer::BoundedServer() {
  new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
}

void BoundedServer::end_soon() {
  end_ = Clock::now() + std::chrono::seconds(kGraceSeconds);
}

bool BoundedServer::serve_connection(socket_t socket) {
  std::string head;
  const auto result = read_head(socket, end_, head);
  bool responded = false;
  if (result == HeadResult::kComplete) {
    ReadRequest request(socket, head, end_);
    bool closed = false;
    responded = process_request(request, /*close_connection=*/true, closed, nullptr);
  } else if (result == HeadResult::kTooLong) {
    send_status(socket, "431 Request Header Fields Too Large");
  } else if (result == HeadResult::kTooSlow) {
    send_status(socket, "408 Request Timeout");
  }
  return responded;
}

bool BoundedServer::process_and_close_socket(socket_t socket) {
  const bool responded = serve_connection(socket);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return responded;
}

}  // namespace projnce::report
