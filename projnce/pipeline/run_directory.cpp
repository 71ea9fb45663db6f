#include "projnce/pipeline/run_directory.h"

#include <unistd.h>

#include "projnce/core/error.h"

namespace projnce {

namespace fs = std::filesystem;

void check_run_can_be_made(const fs::path& root) {
  if (fs::exists(root)) {
    if (!fs::is_directory(root)) fail("the output ", root.string(), " is a file, not a directory");
    if (fs::exists(RunPaths{root}.config())) {
      fail(Hint{"give another --out, or go on with it by --resume"}, "the output directory ",
           root.string(), " already holds a run");
    }
    if (!fs::is_empty(root)) {
      fail(Hint{"give another --out"}, "the output directory ", root.string(), " is not empty");
    }
  }
  // The nearest directory above that exists is the one that must let us in.
  fs::path existing = fs::absolute(root).lexically_normal();
  while (!fs::exists(existing)) existing = existing.parent_path();
  if (!fs::is_directory(existing) || access(existing.c_str(), W_OK | X_OK) != 0) {
    fail("the output directory ", root.string(), " cannot be written to: ", existing.string(),
         " does not allow it");
  }
}

RunPaths make_run(const fs::path& root) {
  const RunPaths paths{root};
  std::error_code error;
  fs::create_directories(paths.checkpoints(), error);
  if (error) fail("cannot make the output directory ", root.string(), ": ", error.message());
  return paths;
}

RunPaths find_run(const fs::path& root) {
  const RunPaths paths{root};
  if (!fs::is_regular_file(paths.config())) {
    fail(Hint{"give the directory that `projnce train` wrote, such as runs/NAME"}, root.string(),
         " holds no run: there is no config.toml in it");
  }
  return paths;
}

fs::path free_run_name(const fs::path& base) {
  fs::path name = base;
  for (int i = 2; fs::exists(name); ++i) name = base.string() + "-" + std::to_string(i);
  return name;
}

MetricsLog::MetricsLog(const fs::path& path, int64_t keep_bytes)
    : path_(path.string()), bytes_(keep_bytes) {
  if (keep_bytes > 0) {
    if (!fs::exists(path) || static_cast<int64_t>(fs::file_size(path)) < keep_bytes) {
      fail(path_, " is shorter than its checkpoint says; the run cannot go on exactly");
    }
    fs::resize_file(path, keep_bytes);
  }
  file_.open(path, keep_bytes > 0 ? std::ios::app : std::ios::trunc);
  if (!file_) fail_working("cannot write ", path_);
}

void MetricsLog::append(const nlohmann::ordered_json& line) {
  const auto text = line.dump() + "\n";
  file_ << text << std::flush;
  if (!file_) fail_working("cannot write ", path_, "; is the disk full?");
  bytes_ += static_cast<int64_t>(text.size());
}

}  // namespace projnce
