#include "bench/compare/python_peers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <vector>

#include "projnce/core/error.h"

namespace projnce::bench {

namespace {

using nlohmann::json;

struct Pipe {
  io::FileDescriptor read_end;
  io::FileDescriptor write_end;
};

Pipe open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_runtime("pipe: ", std::strerror(errno));
  return {io::FileDescriptor(ends[0]), io::FileDescriptor(ends[1])};
}

/// Starts a child whose standard input and output are pipes; it shares our standard error.
pid_t spawn(std::vector<std::string> command, const Pipe& requests, const Pipe& responses) {
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests.read_end.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, responses.write_end.get(), STDOUT_FILENO);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail_runtime("cannot start ", command[0], ": ", std::strerror(error));
  return child;
}

/// Reads up to the end of the line or of the input.
std::string read_line(int file) {
  std::string line;
  for (char c = 0; ::read(file, &c, 1) == 1 && c != '\n';) line.push_back(c);
  return line;
}

bool write_line(int file, const std::string& line) {
  const auto text = line + "\n";  // short enough for an atomic write to a pipe
  return ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

double number_or_nan(const json& response, const char* key) {
  return response.contains(key) ? response.at(key).get<double>()
                                : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

PythonPeers::~PythonPeers() {
  requests_.close();  // ends the child's input, so that it exits
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

void PythonPeers::start() {
  ::signal(SIGPIPE, SIG_IGN);  // writing to a dead child returns an error instead
  auto requests = open_pipe();
  auto responses = open_pipe();
  child_ = spawn({options_.python.string(), PROJNCE_PEER_SERVER, options_.directory.string(),
                  std::to_string(options_.threads)},
                 requests, responses);
  requests_ = std::move(requests.write_end);
  responses_ = std::move(responses.read_end);
}

json PythonPeers::send(const json& request) {
  if (child_ < 0) start();
  const bool sent = write_line(requests_.get(), request.dump());
  const auto line = sent ? read_line(responses_.get()) : std::string();
  if (line.empty()) fail_runtime("the Python process of the peers has exited");
  const auto response = json::parse(line);
  if (response.contains("error")) fail_runtime(response.at("error").get<std::string>());
  return response;
}

std::string PythonPeers::why_unavailable(const std::string& peer) {
  try {
    send({{"peer", peer}, {"action", "import"}});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Run PythonPeers::run(const std::string& peer, const json& request) {
  auto complete = request;
  complete["peer"] = peer;
  complete["action"] = "run";
  const auto response = send(complete);
  return {.seconds = response.at("seconds"),
          .cpu_seconds = response.at("cpu_seconds"),
          .peak_bytes = response.at("peak_bytes"),
          .value = response.at("value"),
          .gradient_norm = number_or_nan(response, "gradient_norm"),
          .compile_seconds = response.value("compile_seconds", 0.0),
          .graph_breaks = response.value("graph_breaks", int64_t{0})};
}

}  // namespace projnce::bench
