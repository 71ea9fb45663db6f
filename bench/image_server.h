#pragma once

namespace projnce::bench {

/// Measures our half of what `peers/images.py` compares:
///
///     projnce-image-bench --serve FOLDER SIZE
///
/// reads requests from standard input, a line each, and answers each with a line of JSON: how many
/// samples it took, seconds and cpu_seconds. "jpeg": one view of SIZE pixels (random resized crop,
/// flip, standardized) from each file of the folder. "views COUNT": SupCon's two views from so many
/// images of 32 x 32 in memory. One thread.
int serve_images(int argc, char** argv);

}  // namespace projnce::bench
