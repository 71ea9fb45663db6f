#include "projnce/report/server/bounded_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <thread>
#include <vector>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::report {
namespace {

using Clock = BoundedServer::Clock;
using ::testing::HasSubstr;
using ::testing::StartsWith;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class BoundedServerTest : public ::testing::Test {
 protected:
  BoundedServerTest() {
    server_.set_pre_routing_handler([this](const auto&, auto& response) {
      response.set_content(body_, "text/plain");
      return httplib::Server::HandlerResponse::Handled;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~BoundedServerTest() override { stop(); }

  void stop() {
    server_.end_soon();
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  /// Connects and sends `text`.
  io::FileDescriptor client(const std::string& text) {
    io::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const auto sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    EXPECT_EQ(sent, static_cast<ssize_t>(text.size()));
    return socket;
  }

  /// What the server sends until it closes the connection.
  static std::string response_to(const io::FileDescriptor& socket) {
    std::string response;
    char buffer[4096];
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(socket.get(), buffer, sizeof(buffer), 0);
      if (count > 0) response.append(buffer, static_cast<size_t>(count));
    }
    return response;
  }

  std::string body_ = "hello";
  BoundedServer server_;
  int port_ = 0;
  std::thread thread_;
};

constexpr const char* kRequest = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";

TEST_F(BoundedServerTest, RespondsAndCloses) {
  const auto response = response_to(client(kRequest));
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(response, HasSubstr("\r\n\r\nhello"));
}

TEST_F(BoundedServerTest, IgnoresWhatFollowsTheHeaders) {
  const auto response = response_to(client(kRequest + std::string(kRequest)));
  EXPECT_EQ(response.find("HTTP/1.1", 1), response.npos) << "one response";
  EXPECT_THAT(response_to(client("POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\nx")),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(BoundedServerTest, LimitsTheHeaders) {
  std::string headers = "GET / HTTP/1.1\r\n";
  while (headers.size() <= BoundedServer::kMostHeadBytes) headers += "A: b\r\n";
  EXPECT_THAT(response_to(client(headers)), StartsWith("HTTP/1.1 431 "));
}

TEST_F(BoundedServerTest, SlowSendersDoNotBlockOthers) {
  std::vector<io::FileDescriptor> slow;
  for (int i = 0; i < 32; ++i) slow.push_back(client("GET / HTTP/1.1\r\n"));
  const auto start = Clock::now();
  EXPECT_THAT(response_to(client(kRequest)), HasSubstr("hello"));
  EXPECT_LT(seconds_since(start), 1);
}

TEST_F(BoundedServerTest, SlowSendersAreDisconnected) {
  const auto start = Clock::now();
  EXPECT_THAT(response_to(client("GET / HTTP/1.1\r\nA: ")), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(response_to(client("")), "") << "as browsers that connect in advance expect";
  EXPECT_LT(seconds_since(start), 2 * BoundedServer::kHeadSeconds + 3);
}

TEST_F(BoundedServerTest, SlowReadersDoNotDelayTheEnd) {
  body_.assign(size_t{64} << 20, 'x');  // more than the buffers of a socket
  const auto slow = client(kRequest);
  char first = 0;
  ASSERT_EQ(::recv(slow.get(), &first, 1, 0), 1) << "the response has begun";
  const auto start = Clock::now();
  stop();
  EXPECT_LT(seconds_since(start), BoundedServer::kGraceSeconds + 2);
}

TEST_F(BoundedServerTest, LargeResponsesAreComplete) {
  body_.assign(size_t{64} << 20, 'x');
  EXPECT_GT(response_to(client(kRequest)).size(), body_.size());
}

}  // namespace
}  // namespace projnce::report
