#pragma once

namespace projnce::bench {

/// Measures our half of what `peers/pictures.py` compares:
///
///     projnce-picture-bench --serve FOLDER SIZE
///
/// reads requests from standard input, a line each, and answers each with a line of JSON: how many
/// samples it took, seconds and cpu_seconds. "jpeg": one view of SIZE pixels (random resized crop,
/// flip, standardised) from each file of the folder. "views COUNT": SupCon's two views from so many
/// pictures of 32 x 32 in memory. One thread.
int serve_pictures(int argc, char** argv);

}  // namespace projnce::bench
