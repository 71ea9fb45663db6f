#pragma once

namespace projnce::app {

/// Turns Ctrl-C and SIGTERM into a request that the training loop asks for after every step. A
/// second one ends the program at once.
void catch_stop_signals();

/// The signal that asked for a stop; 0 while none did.
int stop_signal();

}  // namespace projnce::app
