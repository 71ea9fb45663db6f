#pragma once

namespace projnce::bench {

/// Measures the time to open a dataset and decode it into memory:
///
///     projnce-image-bench --open PATH
///
/// Opens a folder or an archive with auto-detected layout and one thread per core, and prints a
/// line of JSON: dataset, train, test, seconds, resident_mb (current) and peak_mb.
int measure_opening(int argc, char** argv);

}  // namespace projnce::bench
