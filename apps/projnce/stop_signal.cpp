#include "apps/projnce/stop_signal.h"

#include <csignal>

namespace projnce::app {

namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

int stop_signal() {
  return received;
}

}  // namespace projnce::app
