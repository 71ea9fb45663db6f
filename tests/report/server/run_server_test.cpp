#include "projnce/report/server/run_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <thread>

#include "projnce/core/error.h"
#include "projnce/io/digest.h"
#include "projnce/report/server/run_index.h"
#include "tests/support/error_message.h"
#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::make_finished_run;
using testing::make_run_folder;
using ::testing::Not;
using testing::ScratchDir;
using ::testing::StartsWith;

/// A page that lists its runs.
std::string names_of(const ReportSource::Runs& runs) {
  std::string names;
  for (const auto& run : runs) names += "[" + run.filename().string() + "]";
  return names;
}

class RunServerTest : public ::testing::Test {
 protected:
  RunServerTest() {
    make_finished_run(dir_ / "runs/first", "0.75");
    make_run_folder(dir_ / "runs/demo/second");
    testing::write_text(dir_ / "secret", "secret words");
  }

  RunServer& server() {
    if (!server_) {
      server_ = std::make_unique<RunServer>(
          dir_ / "runs", 0,
          ReportSource{.html = [](const auto& runs) { return "page of " + names_of(runs); },
                       .data = [this](const auto& runs) { return data_ + names_of(runs); },
                       .policy = "default-src 'none'; connect-src 'self'"},
          make_logger());
    }
    return *server_;
  }

  std::string host() { return "127.0.0.1:" + std::to_string(server().port()); }

  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) {
    httplib::Client client("127.0.0.1", server().port());
    client.set_url_encode(false);  // send paths unchanged
    return client.Get(path, headers);
  }

  ScratchDir dir_;
  std::string data_ = "data of ";
  std::unique_ptr<RunServer> server_;
};

TEST_F(RunServerTest, ListsTheRuns) {
  const auto response = get("/");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(response->body,
              AllOf(HasSubstr("href=\"/run/first/\""), HasSubstr("href=\"/run/demo/second/\""),
                    HasSubstr("75.00 %"), HasSubstr("finished"), HasSubstr("unfinished"),
                    HasSubstr("photos · supcon · resnet18"), HasSubstr("2 runs in ")));
}

TEST_F(RunServerTest, ServesReportAndData) {
  EXPECT_EQ(get("/run/first/")->body, "page of [first]");
  EXPECT_EQ(get("/run/demo/second/")->body, "page of [second]");
  EXPECT_EQ(get("/run/demo%2fsecond/")->body, "page of [second]");
  const auto data = get("/run/demo/second/data.json");
  EXPECT_EQ(data->body, "data of [second]");
  EXPECT_EQ(data->get_header_value("Content-Type"), "application/json");
}

TEST_F(RunServerTest, RedirectsToTrailingSlash) {
  const auto response = get("/run/first");
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(response->get_header_value("Location"), "/run/first/");
}

TEST_F(RunServerTest, ComparesRunsInQueryOrder) {
  EXPECT_EQ(get("/compare/?run=demo%2Fsecond&run=first")->body, "page of [second][first]");
  EXPECT_EQ(get("/compare/data.json?run=first&run=demo/second")->body, "data of [first][second]");
  EXPECT_EQ(get("/compare/")->status, 400);
  EXPECT_EQ(get("/compare/?run=first&run=nothing")->status, 404);
  std::string many = "/compare/?run=first";
  for (int i = 0; i < 50; ++i) many += "&run=" + std::to_string(i);
  EXPECT_EQ(get(many)->status, 400);
}

TEST_F(RunServerTest, UnknownRunIsNotFound) {
  const auto response = get("/run/<b>nothing/");
  EXPECT_EQ(response->status, 404);
  EXPECT_THAT(response->body, HasSubstr("There is no run named &lt;b&gt;nothing."));
  EXPECT_EQ(get("/favicon.ico")->status, 404);
  EXPECT_EQ(get("/run/")->status, 404);
}

TEST_F(RunServerTest, CannotReachFilesOutsideOfRuns) {
  fs::create_directory_symlink(dir_.path(), dir_ / "runs/out");
  make_run_folder(dir_ / "outside");
  fs::create_directory_symlink(dir_ / "outside", dir_ / "runs/link");
  for (const std::string path : {"/run/../../etc/passwd",
                                 "/run/../secret",
                                 "/../secret",
                                 "/run/%2e%2e%2fsecret",
                                 "/run/%2e%2e/outside/",
                                 "/run/..%2foutside/data.json",
                                 "/run/%252e%252e%252foutside/",
                                 "/run//etc/",
                                 "/run/%2fetc%2fpasswd",
                                 "/run/first/../../outside/",
                                 "/run/first/config.toml",
                                 "/run/first%00/",
                                 "/run/first/%00data.json",
                                 "/run/out/secret",
                                 "/run/out/outside/",
                                 "/run/link/",
                                 "/run/./first/",
                                 "/run/first//",
                                 "/run/..\\outside/",
                                 "//etc/passwd",
                                 "/run/demo/",
                                 "/compare/?run=../outside",
                                 "/compare/?run=%2e%2e%2foutside",
                                 "/compare/?run=first%00",
                                 "/compare/?run=/etc"}) {
    const auto response = get(path);
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(response->status, 404) << path;
    EXPECT_THAT(response->body, AllOf(Not(HasSubstr("secret words")), Not(HasSubstr("page of"))))
        << path;
  }
}

TEST_F(RunServerTest, RejectsForeignHostNames) {
  const auto port = std::to_string(server().port());
  for (const std::string& good : {"127.0.0.1:" + port, "localhost:" + port}) {
    EXPECT_EQ(get("/", {{"Host", good}})->status, 200) << good;
  }
  for (const std::string& bad :
       {std::string("evil.example"), "evil.example:" + port, std::string("127.0.0.1"),
        std::string("localhost:1"), "localhost:" + port + ".evil.example",
        "127.0.0.1:" + port + "0", std::string("")}) {
    const auto response = get("/", {{"Host", bad}});
    EXPECT_EQ(response->status, 403) << bad;
    EXPECT_THAT(response->body, Not(HasSubstr("first"))) << bad;
  }
}

TEST_F(RunServerTest, AllowsOnlyGetAndHead) {
  httplib::Client client("127.0.0.1", server().port());
  EXPECT_EQ(client.Post("/", "run=x", "application/x-www-form-urlencoded")->status, 405);
  EXPECT_EQ(client.Put("/run/first/", std::string(100'000, 'x'), "text/plain")->status, 405);
  EXPECT_EQ(client.Delete("/run/first/")->status, 405);
  const auto options = client.Options("/");
  EXPECT_EQ(options->status, 405);
  EXPECT_EQ(options->get_header_value("Allow"), "GET, HEAD");
  const auto head = client.Head("/run/first/");
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(head->get_header_value("Content-Length"), "15");
}

TEST_F(RunServerTest, BodyIsNotParsedAsRequest) {
  httplib::Client client("127.0.0.1", server().port());
  client.set_keep_alive(true);
  const auto response =
      client.Post("/", "GET / HTTP/1.1\r\nHost: " + host() + "\r\n\r\n", "text/plain");
  EXPECT_EQ(response->status, 405);
  EXPECT_EQ(response->get_header_value("Connection"), "close");
}

TEST_F(RunServerTest, UnchangedDataIsNotModified) {
  const auto first = get("/run/first/data.json");
  const auto version = first->get_header_value("ETag");
  EXPECT_THAT(version, StartsWith("\""));
  const auto again = get("/run/first/data.json", {{"If-None-Match", "\"other\", W/" + version}});
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(again->body, "");
  EXPECT_EQ(again->get_header_value("ETag"), version);
  EXPECT_EQ(get("/run/first/data.json", {{"If-None-Match", "\"other\""}})->status, 200);
  data_ = "news of ";
  const auto news = get("/run/first/data.json", {{"If-None-Match", version}});
  EXPECT_EQ(news->status, 200);
  EXPECT_EQ(news->body, "news of [first]");
}

TEST_F(RunServerTest, SetsSecurityHeaders) {
  for (const char* path : {"/", "/run/first/", "/run/first/data.json", "/nothing"}) {
    const auto response = get(path);
    EXPECT_EQ(response->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(response->get_header_value("Referrer-Policy"), "no-referrer") << path;
    EXPECT_EQ(response->get_header_value("Cross-Origin-Resource-Policy"), "same-origin") << path;
  }
  EXPECT_EQ(get("/")->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(get("/run/first/data.json")->get_header_value("Cache-Control"), "no-cache");
  EXPECT_THAT(get("/run/first/")->get_header_value("Content-Security-Policy"),
              HasSubstr("connect-src 'self'"));
}

TEST_F(RunServerTest, ListAllowsOnlyItsOwnStyle) {
  for (const char* path : {"/", "/nothing"}) {
    const auto response = get(path);
    const auto& page = response->body;
    const auto start = page.find("<style>") + 7;
    const auto style = page.substr(start, page.find("</style>") - start);
    EXPECT_THAT(response->get_header_value("Content-Security-Policy"),
                AllOf(StartsWith("default-src 'none'; "),
                      HasSubstr("style-src 'sha256-" + io::base64(io::sha256(style)) + "';"),
                      Not(HasSubstr("script-src"))));
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("style=\""))));
  }
}

TEST_F(RunServerTest, SupportsNamesOfAnyBytes) {
  const std::string markup = "\"><script>alert(1)<";
  const std::string bytes = "\xFF\x01%2e \n&?#";
  make_run_folder(dir_ / "runs" / markup);
  make_run_folder(dir_ / "runs" / bytes);
  const auto page = get("/")->body;
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), HasSubstr("&lt;script&gt;alert(1)&lt;"),
                          HasSubstr("\\xFF\\x01%2e \\x0A&amp;?#"), Not(HasSubstr("\xFF"))));
  for (const auto& name : {markup, bytes}) {
    EXPECT_THAT(page, HasSubstr("href=\"" + run_address(name) + "\""));
    EXPECT_EQ(get(run_address(name))->body, "page of [" + name + "]");
    // As a browser submits a form's checkbox, whose value is the key.
    const auto key = httplib::detail::encode_query_param(run_key(name));
    EXPECT_EQ(get("/compare/?run=" + key)->body, "page of [" + name + "]");
  }
}

TEST_F(RunServerTest, ReportsErrorsOfReportSource) {
  server_ = std::make_unique<RunServer>(
      dir_ / "runs", 0,
      ReportSource{.html = [](const auto&) -> std::string { fail("no <page> today"); }, .data = {}},
      make_logger());
  const auto response = get("/run/first/");
  EXPECT_EQ(response->status, 500);
  EXPECT_THAT(response->body, HasSubstr("no &lt;page&gt; today"));
  EXPECT_EQ(get("/run/first/data.json")->status, 500) << "there is no data source";
  EXPECT_EQ(get("/")->status, 200);
}

TEST_F(RunServerTest, ServesConcurrentRequests) {
  std::atomic<int> good = 0;
  server();
  std::vector<std::thread> clients;
  for (int i = 0; i < 12; ++i) {
    clients.emplace_back([&] {
      for (int j = 0; j < 10; ++j) {
        const auto page = get(j % 2 == 0 ? "/" : "/run/first/data.json");
        good += page && page->status == 200;
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(good, 120);
}

TEST_F(RunServerTest, RejectsVeryLongRequests) {
  const auto response = get("/run/" + std::string(100'000, 'a'));
  EXPECT_TRUE(!response || response->status >= 400);
  EXPECT_EQ(get("/run/" + std::string(8000, '%'))->status, 404);
  EXPECT_EQ(get("/")->status, 200);
}

TEST_F(RunServerTest, ShowsNewRunImmediately) {
  EXPECT_EQ(get("/run/late/")->status, 404);
  make_run_folder(dir_ / "runs/late");
  EXPECT_EQ(get("/run/late/")->status, 200);
}

TEST_F(RunServerTest, RejectsPortInUse) {
  EXPECT_THAT(
      error_message_of([&] { RunServer(dir_ / "runs", server().port(), {}, make_logger()); }),
      AllOf(HasSubstr("port " + std::to_string(server().port())), HasSubstr("--port")));
}

TEST_F(RunServerTest, RejectsMissingFolder) {
  EXPECT_THAT(error_message_of([&] { RunServer(dir_ / "none", 0, {}, make_logger()); }),
              HasSubstr("none is not a folder of runs"));
  EXPECT_THAT(error_message_of([&] { RunServer(dir_ / "secret", 0, {}, make_logger()); }),
              HasSubstr("secret is not a folder of runs"));
}

TEST_F(RunServerTest, EmptyFolderShowsTrainCommand) {
  fs::create_directories(dir_ / "empty");
  server_ = std::make_unique<RunServer>(dir_ / "empty", 0, ReportSource{}, make_logger());
  EXPECT_THAT(get("/")->body, AllOf(HasSubstr("0 runs"), HasSubstr("projnce train")));
}

}  // namespace
}  // namespace projnce::report
