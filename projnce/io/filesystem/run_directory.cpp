#include "projnce/io/filesystem/run_directory.h"

#include <unistd.h>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::io {

namespace fs = std::filesystem;

namespace {

/// Anything but what a run leaves that was killed before it wrote its configuration.
bool holds_files(const fs::path& root) {
  const RunPaths run{root};
  for (const auto& entry : fs::directory_iterator(root)) {
    const auto& path = entry.path();
    const bool leftover = path == run.lock() || (path == run.checkpoints() && fs::is_empty(path)) ||
                          path.filename().string().starts_with(".config.toml.tmp.");
    if (!leftover) return true;
  }
  return false;
}

}  // namespace

void check_run_can_be_made(const fs::path& root) {
  if (fs::exists(root)) {
    if (!fs::is_directory(root)) fail("the output ", root.string(), " is a file, not a directory");
    if (fs::exists(RunPaths{root}.config())) {
      fail(Hint{"give another --out, or go on with it by --resume"}, "the output directory ",
           root.string(), " already holds a run");
    }
    if (holds_files(root)) {
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
  if (!holds_run(root)) {
    fail(Hint{"give the directory that `projnce train` wrote, such as runs/NAME"}, root.string(),
         " holds no run: there is no config.toml in it");
  }
  return paths;
}

void remove_leftovers(const RunPaths& paths) {
  remove_stale_temporaries(paths.root);
  remove_stale_temporaries(paths.root / "projector");
}

fs::path free_run_name(const fs::path& base) {
  fs::path name = base;
  for (int i = 2; fs::exists(name); ++i) name = base.string() + "-" + std::to_string(i);
  return name;
}

}  // namespace projnce::io
