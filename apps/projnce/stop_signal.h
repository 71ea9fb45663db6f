#pragma once

namespace projnce::app {

/// Installs handlers for SIGINT and SIGTERM that record the signal; the training loop checks for it
/// after every step. A second signal terminates the program immediately.
void catch_stop_signals();

/// Returns the received signal, or 0.
int stop_signal();

}  // namespace projnce::app
