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
pid_t spawn(std::vector<std::string> command, const Pipe& requests, const Pipe& answers) {
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests.read_end.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, answers.write_end.get(), STDOUT_FILENO);
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

double number_or_nan(const json& answer, const char* key) {
  return answer.contains(key) ? answer.at(key).get<double>()
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
  auto answers = open_pipe();
  child_ = spawn({options_.python.string(), PROJNCE_PEER_SERVER, options_.directory.string(),
                  std::to_string(options_.threads)},
                 requests, answers);
  requests_ = std::move(requests.write_end);
  answers_ = std::move(answers.read_end);
}

json PythonPeers::ask(const json& request) {
  if (child_ < 0) start();
  const bool sent = write_line(requests_.get(), request.dump());
  const auto line = sent ? read_line(answers_.get()) : std::string();
  if (line.empty()) fail_runtime("the Python process of the peers has exited");
  const auto answer = json::parse(line);
  if (answer.contains("error")) fail_runtime(answer.at("error").get<std::string>());
  return answer;
}

std::string PythonPeers::why_unavailable(const std::string& peer) {
  try {
    ask({{"peer", peer}, {"action", "import"}});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Run PythonPeers::run(const std::string& peer, const json& request) {
  auto complete = request;
  complete["peer"] = peer;
  complete["action"] = "run";
  const auto answer = ask(complete);
  return {.seconds = answer.at("seconds"),
          .cpu_seconds = answer.at("cpu_seconds"),
          .peak_bytes = answer.at("peak_bytes"),
          .value = answer.at("value"),
          .gradient_norm = number_or_nan(answer, "gradient_norm"),
          .compile_seconds = answer.value("compile_seconds", 0.0),
          .graph_breaks = answer.value("graph_breaks", int64_t{0})};
}

}  // namespace projnce::bench
