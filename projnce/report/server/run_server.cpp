#include "projnce/report/server/run_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/digest.h"
#include "projnce/report/chart/canvas.h"
#include "projnce/report/server/bounded_server.h"
#include "projnce/report/server/run_index.h"

namespace projnce::report {

namespace fs = std::filesystem;

/// A decoded HTTP request.
struct HttpRequest {
  std::string method;
  std::string host;  ///< Host header
  std::string path;
  std::vector<std::string> runs;  ///< `run=` query parameters
  std::string known_version;      ///< If-None-Match
};

struct HttpResponse {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Answers requests about the runs of a folder, independent of sockets. Thread-safe.
class RunRequests {
 public:
  /// Throws if `runs` is not a folder.
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

constexpr int kHttpPort = 80;  // browsers omit it in the Host header

/// Returns a policy that allows the document's style element, by its digest, and forms.
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

HttpResponse error_response(int status, std::string_view title, std::string_view message) {
  return html_response(status, message_html(title, message));
}

HttpResponse run_not_found(const std::string& name) {
  return error_response(404, "Run not found",
                        fmt::format("There is no run named {}.", display_name(name)));
}

/// Accepts only the server's own host names. Otherwise a site whose name resolves to this machine
/// (DNS rebinding) could read the responses.
bool is_own_host(std::string_view host, int port) {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (host == fmt::format("{}:{}", name, port) || (port == kHttpPort && host == name))
      return true;
  }
  return false;
}

/// Looks up a run by its name or by its encoded form.
const ListedRun* find_run_by_name(const std::vector<ListedRun>& runs, const std::string& name) {
  const auto called = [&](const ListedRun& run) { return run.name == name; };
  auto found = std::find_if(runs.begin(), runs.end(), called);
  if (found == runs.end()) {
    found = std::find_if(runs.begin(), runs.end(),
                         [&](const ListedRun& run) { return run_key(run.name) == name; });
  }
  return found == runs.end() ? nullptr : &*found;
}

/// Returns whether the If-None-Match header names the version.
bool matches_version(std::string_view known, std::string_view version) {
  return known == "*" || known.find(version) != known.npos;
}

fs::path canonical_folder(const fs::path& runs) {
  std::error_code error;
  auto root = fs::canonical(runs, error);
  if (error || !fs::is_directory(root, error)) {
    fail(Hint{"pass the output folder of `projnce train`, such as runs"}, runs.string(),
         " is not a folder of runs");
  }
  return root;
}

}  // namespace

RunRequests::RunRequests(const fs::path& runs, ReportSource source, Logger logger)
    : root_(canonical_folder(runs)), source_(std::move(source)), logger_(std::move(logger)) {}

HttpResponse RunRequests::answer(const HttpRequest& request, int port) const {
  if (!is_own_host(request.host, port)) {
    return error_response(403, "Host not allowed",
                          fmt::format("This server answers only at http://127.0.0.1:{0} and "
                                      "http://localhost:{0}.",
                                      port));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    auto answer = error_response(405, "Method not allowed",
                                 "This server answers only GET and HEAD requests.");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  try {
    return route(request);
  } catch (const std::exception& error) {
    logger_->warn("{}: {}", display_name(request.path), error.what());
    return error_response(500, "Internal error", display_name(error.what()));
  }
}

HttpResponse RunRequests::route(const HttpRequest& request) const {
  std::string_view path = request.path;
  if (path == "/") return index();
  if (path == "/compare/" || path == "/compare/data.json") {
    return runs_answer(request.runs, path != "/compare/", request);
  }
  if (!path.starts_with(kRunPrefix)) {
    return error_response(404, "Not found", "This page does not exist.");
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
    return error_response(
        400, "Select runs",
        fmt::format("Select up to {} runs to compare in the list of runs.", kMostCompared));
  }
  const auto known = find_runs(root_);
  ReportSource::Runs runs;
  for (const auto& name : names) {
    const auto* run = find_run_by_name(known, name);
    if (run == nullptr) return run_not_found(name);
    runs.push_back(run->path);
  }
  if (wants_data) return data(runs, request.known_version);
  if (request.path.starts_with(kRunPrefix) && !request.path.ends_with('/')) {
    // The report requests data.json relative to itself, so its URL must end in a slash.
    auto answer = error_response(302, "Moved", "The URL of a report ends in a slash.");
    answer.headers.emplace_back("Location",
                                run_address(find_run_by_name(known, names.front())->name));
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
  if (matches_version(known_version, version)) {
    answer.status = 304;
  } else {
    answer.body = std::move(body);
  }
  return answer;
}

namespace {

constexpr const char* kServerHost = "127.0.0.1";

/// Prevents two servers from sharing a port, which the library's default allows.
void set_exclusive_port(socket_t socket) {
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

void write_response(HttpResponse answer, httplib::Response& to) {
  to.status = answer.status;
  for (const auto& [name, value] : answer.headers) to.set_header(name, value);
  to.set_header("X-Content-Type-Options", "nosniff");
  to.set_header("Referrer-Policy", "no-referrer");
  to.set_header("Cross-Origin-Resource-Policy", "same-origin");
  // Responses with an ETag may be cached and revalidated; no-store would prevent that.
  to.set_header("Cache-Control", to.has_header("ETag") ? "no-cache" : "no-store");
  if (answer.status != 304) to.set_content(std::move(answer.body), answer.type);
}

}  // namespace

class RunServer::Listener {
 public:
  Listener(const std::filesystem::path& runs, int port, ReportSource source, Logger logger)
      : requests_(runs, std::move(source), std::move(logger)) {
    server_.set_socket_options(set_exclusive_port);
    // Handles all requests, so that none reaches the library's own routes.
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      write_response(requests_.answer(request_of(request), port_), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    port_ = port == 0 ? server_.bind_to_any_port(kServerHost) : port;
    if (port_ <= 0 || (port != 0 && !server_.bind_to_port(kServerHost, port))) {
      fail_runtime(Hint{"use another --port, or 0 for a free one"}, "port ", port, " of ",
                   kServerHost, " is in use or not permitted");
    }
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // The server cannot be stopped before it runs.
    while (!server_.is_running() && !ended_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  ~Listener() {
    server_.end_soon();
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }
  bool is_listening() const { return !ended_; }

 private:
  RunRequests requests_;
  BoundedServer server_;
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
