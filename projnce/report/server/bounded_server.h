#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>

namespace projnce::report {

/// An HTTP server whose connections are bounded in time and memory, whatever the client sends:
///
/// - The request line and the headers have at most kMostHeadBytes and arrive within kHeadSeconds.
/// - A request has no body: what follows the headers is not read.
/// - A response is abandoned if the client reads it more slowly than kSlowestRate on average.
/// - After end_soon(), all connections end within kGraceSeconds.
///
/// The library itself limits neither the number of headers nor the duration of a request.
class BoundedServer : public httplib::Server {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kMostHeadBytes = 16 << 10;
  static constexpr int kHeadSeconds = 2;
  static constexpr int kStallSeconds = 5;
  static constexpr double kSlowestRate = 64 << 10;  // bytes per second
  static constexpr int kGraceSeconds = 2;
  /// Many more than there are processors: most of them wait for slow clients.
  static constexpr size_t kThreads = 64;

  BoundedServer();

  /// Limits the time of all connections, before stop() waits for them.
  void end_soon();

 protected:
  /// Reads a request and responds to it; returns whether it did. Does not close the socket.
  bool serve_connection(socket_t socket);

 private:
  bool process_and_close_socket(socket_t socket) override;

  std::atomic<Clock::time_point> end_ = Clock::time_point::max();
};

}  // namespace projnce::report
