#pragma once

namespace projnce::bench {

/// Measures our side of the comparison in `peers/images.py`:
///
///     projnce-image-bench --serve FOLDER SIZE
///
/// Reads one request per line from standard input and responds with a line of JSON: samples,
/// seconds and cpu_seconds. "jpeg": one view of SIZE pixels (random resized crop, flip,
/// standardization) of each file of the folder. "views COUNT": SupCon's two views of COUNT
/// in-memory images of 32 x 32. Single-threaded.
int serve_images(int argc, char** argv);

}  // namespace projnce::bench
