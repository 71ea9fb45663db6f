#include "projnce/report/run_server.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "projnce/core/error.h"
#include "projnce/report/run_requests.h"

namespace projnce {

namespace {

constexpr const char* kServerHost = "127.0.0.1";
constexpr size_t kServerThreads = 8;
constexpr int kServerSeconds = 5;         // that a caller may take to ask, or to take the answer
constexpr int kSilentSeconds = 2;         // that a connection may say nothing
constexpr size_t kLargestBody = 1 << 10;  // of a request: nothing that is answered has one

/// The system must not let two servers share a port, as the library's own choice does.
void one_server_a_port(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

HttpRequest request_of(const httplib::Request& from) {
  HttpRequest request{.method = from.method,
                      .host = from.get_header_value("Host"),
                      .path = from.path,
                      .runs = {},
                      .known_version = from.get_header_value("If-None-Match")};
  for (size_t i = 0; i < from.get_param_value_count("run"); ++i) {
    request.runs.push_back(from.get_param_value("run", i));
  }
  return request;
}

void give_answer(HttpResponse answer, httplib::Response& to) {
  to.status = answer.status;
  for (const auto& [name, value] : answer.headers) to.set_header(name, value);
  to.set_header("X-Content-Type-Options", "nosniff");
  to.set_header("Referrer-Policy", "no-referrer");
  to.set_header("Cross-Origin-Resource-Policy", "same-origin");
  // What has a version may be kept and asked for again; a browser would otherwise never ask by it.
  to.set_header("Cache-Control", to.has_header("ETag") ? "no-cache" : "no-store");
  if (answer.status != 304) to.set_content(std::move(answer.body), answer.type);
}

}  // namespace

class RunServer::Listener {
 public:
  Listener(const std::filesystem::path& runs, int port, ReportSource source, Logger logger)
      : requests_(runs, std::move(source), std::move(logger)) {
    set_limits();
    // All requests go this way: none reaches the library's own routes and their patterns.
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      give_answer(requests_.answer(request_of(request), port_), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    port_ = port == 0 ? server_.bind_to_any_port(kServerHost) : port;
    if (port_ <= 0 || (port != 0 && !server_.bind_to_port(kServerHost, port))) {
      fail_working(Hint{"choose another --port, or 0 for one that is free"}, "port ", port, " of ",
                   kServerHost, " is taken or not allowed");
    }
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // Before it runs it cannot be stopped either.
    while (!server_.is_running() && !ended_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  ~Listener() {
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }
  bool is_listening() const { return !ended_; }

 private:
  void set_limits() {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kServerThreads); };
    server_.set_socket_options(one_server_a_port);
    server_.set_read_timeout(kServerSeconds);
    server_.set_write_timeout(kServerSeconds);
    server_.set_keep_alive_timeout(kSilentSeconds);
    // A connection is for one request: what follows a refused one is never taken for another.
    server_.set_keep_alive_max_count(1);
    server_.set_payload_max_length(kLargestBody);
  }

  RunRequests requests_;
  httplib::Server server_;
  int port_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

RunServer::RunServer(const std::filesystem::path& runs, int port, ReportSource source,
                     Logger logger)
    : listener_(std::make_unique<Listener>(runs, port, std::move(source), std::move(logger))) {}

RunServer::~RunServer() = default;

int RunServer::port() const {
  return listener_->port();
}

std::string RunServer::address() const {
  return concat("http://", kServerHost, ":", port(), "/");
}

bool RunServer::is_listening() const {
  return listener_->is_listening();
}

}  // namespace projnce
