#include "projnce/report/server/run_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/digest.h"
#include "projnce/report/chart/lettering.h"
#include "projnce/report/server/run_index.h"

namespace projnce::report {

namespace fs = std::filesystem;

/// A decoded request of a browser.
struct HttpRequest {
  std::string method;
  std::string host;  ///< the header of that name
  std::string path;
  std::vector<std::string> runs;  ///< `run=` behind the question mark
  std::string known_version;      ///< If-None-Match
};

struct HttpResponse {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Answers requests about the runs of a folder. Knows nothing of sockets; may be asked from several
/// threads at once.
class RunRequests {
 public:
  /// Throws where `runs` is no folder.
  RunRequests(const std::filesystem::path& runs, ReportSource source, Logger logger);

  /// `port` is the one that the server listens on.
  HttpResponse answer(const HttpRequest& request, int port) const;

 private:
  HttpResponse route(const HttpRequest& request) const;
  HttpResponse index() const;
  HttpResponse runs_answer(const std::vector<std::string>& names, bool wants_data,
                           const HttpRequest& request) const;
  HttpResponse data(const ReportSource::Runs& runs, const std::string& known_version) const;

  std::filesystem::path root_;
  ReportSource source_;
  Logger logger_;
};

namespace {

constexpr std::string_view kRunPrefix = "/run/";

constexpr std::string_view kDataSuffix = "/data.json";

constexpr size_t kMostCompared = 50;

constexpr int kHttpPort = 80;  // browsers leave it out of the host

/// Allows the document's one style element, by its digest, and forms.
std::string html_policy(std::string_view html) {
  constexpr std::string_view kStart = "<style>";
  const auto start = html.find(kStart) + kStart.size();
  const auto style = html.substr(start, html.find("</style>") - start);
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; base-uri 'none'; "
      "frame-ancestors 'none'",
      io::base64(io::sha256(style)));
}

HttpResponse html_response(int status, std::string html) {
  auto policy = html_policy(html);
  return {.status = status,
          .type = "text/html; charset=utf-8",
          .body = std::move(html),
          .headers = {{"Content-Security-Policy", std::move(policy)}}};
}

HttpResponse refusal(int status, std::string_view title, std::string_view message) {
  return html_response(status, message_html(title, message));
}

HttpResponse unknown_run(const std::string& name) {
  return refusal(404, "No such run",
                 fmt::format("There is no run called {} here.", display_name(name)));
}

/// Only requests by one of our own names are answered. Otherwise a site that makes its name resolve
/// to this machine (DNS rebinding) could read the answers.
bool is_our_host(std::string_view host, int port) {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (host == fmt::format("{}:{}", name, port) || (port == kHttpPort && host == name))
      return true;
  }
  return false;
}

/// By its name, or by what forms send for it.
const ListedRun* look_up(const std::vector<ListedRun>& runs, const std::string& name) {
  const auto called = [&](const ListedRun& run) { return run.name == name; };
  auto found = std::find_if(runs.begin(), runs.end(), called);
  if (found == runs.end()) {
    found = std::find_if(runs.begin(), runs.end(),
                         [&](const ListedRun& run) { return run_key(run.name) == name; });
  }
  return found == runs.end() ? nullptr : &*found;
}

/// One of a list of versions in quotes, or any.
bool names_version(std::string_view known, std::string_view version) {
  return known == "*" || known.find(version) != known.npos;
}

fs::path canonical_folder(const fs::path& runs) {
  std::error_code error;
  auto root = fs::canonical(runs, error);
  if (error || !fs::is_directory(root, error)) {
    fail(Hint{"give the folder in which `projnce train` wrote, such as runs"}, runs.string(),
         " is no folder of runs");
  }
  return root;
}

}  // namespace

RunRequests::RunRequests(const fs::path& runs, ReportSource source, Logger logger)
    : root_(canonical_folder(runs)), source_(std::move(source)), logger_(std::move(logger)) {}

HttpResponse RunRequests::answer(const HttpRequest& request, int port) const {
  if (!is_our_host(request.host, port)) {
    return refusal(403, "Not by this name",
                   fmt::format("This server answers at http://127.0.0.1:{0} and "
                               "http://localhost:{0} alone.",
                               port));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    auto answer = refusal(405, "Only to be read", "This server answers GET and HEAD alone.");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  try {
    return route(request);
  } catch (const std::exception& error) {
    logger_->warn("{}: {}", display_name(request.path), error.what());
    return refusal(500, "This did not work", display_name(error.what()));
  }
}

HttpResponse RunRequests::route(const HttpRequest& request) const {
  std::string_view path = request.path;
  if (path == "/") return index();
  if (path == "/compare/" || path == "/compare/data.json") {
    return runs_answer(request.runs, path != "/compare/", request);
  }
  if (!path.starts_with(kRunPrefix)) {
    return refusal(404, "Nothing here", "This address does not exist.");
  }
  path.remove_prefix(kRunPrefix.size());
  const bool wants_data = path.ends_with(kDataSuffix);
  path.remove_suffix(wants_data ? kDataSuffix.size() : path.ends_with('/'));
  return runs_answer({std::string(path)}, wants_data, request);
}

HttpResponse RunRequests::index() const {
  std::vector<RunSummary> facts;
  for (const auto& run : find_runs(root_)) facts.push_back(read_run_summary(run));
  return html_response(200, run_index_html(std::move(facts), root_.string()));
}

HttpResponse RunRequests::runs_answer(const std::vector<std::string>& names, bool wants_data,
                                      const HttpRequest& request) const {
  if (names.empty() || names.size() > kMostCompared) {
    return refusal(
        400, "Choose runs",
        fmt::format("Choose up to {} runs to compare in the list of runs.", kMostCompared));
  }
  const auto known = find_runs(root_);
  ReportSource::Runs runs;
  for (const auto& name : names) {
    const auto* run = look_up(known, name);
    if (run == nullptr) return unknown_run(name);
    runs.push_back(run->path);
  }
  if (wants_data) return data(runs, request.known_version);
  if (request.path.starts_with(kRunPrefix) && !request.path.ends_with('/')) {
    // The report requests data.json next to itself, so its address must end in a slash.
    auto answer = refusal(302, "Moved", "The address of a report ends in a slash.");
    answer.headers.emplace_back("Location", run_address(look_up(known, names.front())->name));
    return answer;
  }
  return {.type = "text/html; charset=utf-8",
          .body = source_.html(runs),
          .headers = {{"Content-Security-Policy", source_.policy}}};
}

HttpResponse RunRequests::data(const ReportSource::Runs& runs,
                               const std::string& known_version) const {
  auto body = source_.data(runs);
  const auto version = fmt::format("\"{}\"", io::base64(io::sha256(body)));
  HttpResponse answer{.type = "application/json", .headers = {{"ETag", version}}};
  if (names_version(known_version, version)) {
    answer.status = 304;
  } else {
    answer.body = std::move(body);
  }
  return answer;
}

namespace {

constexpr const char* kServerHost = "127.0.0.1";

constexpr size_t kServerThreads = 8;

constexpr int kServerSeconds = 5;  // that a caller may take to ask, or to take the answer

constexpr int kSilentSeconds = 2;  // that a connection may say nothing

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
      fail_runtime(Hint{"choose another --port, or 0 for one that is free"}, "port ", port, " of ",
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

}  // namespace projnce::report
