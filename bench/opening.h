#pragma once

namespace projnce::bench {

/// Measures how long it takes to open a dataset, decoded into memory and ready to train on:
///
///     projnce-image-bench --open PATH
///
/// opens a folder or an archive, its layout recognized, with a thread for each core, and prints a
/// line of JSON: dataset, train, test, seconds, resident_mb (now) and peak_mb.
int measure_opening(int argc, char** argv);

}  // namespace projnce::bench
