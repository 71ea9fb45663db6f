#include "projnce/io/filesystem/run_directory.h"

#include <unistd.h>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::io {

namespace fs = std::filesystem;

namespace {

/// True if the directory contains anything except leftovers of a run that was killed before it
/// wrote its configuration.
bool has_other_files(const fs::path& root) {
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

void check_new_run(const fs::path& root) {
  if (fs::exists(root)) {
    if (!fs::is_directory(root)) fail("the output ", root.string(), " is a file, not a directory");
    if (fs::exists(RunPaths{root}.config())) {
      fail(Hint{"choose another --out, or continue the run with --resume"}, "the output directory ",
           root.string(), " already contains a run");
    }
    if (has_other_files(root)) {
      fail(Hint{"choose another --out"}, "the output directory ", root.string(), " is not empty");
    }
  }
  // The nearest existing ancestor must be writable.
  fs::path existing = fs::absolute(root).lexically_normal();
  while (!fs::exists(existing)) existing = existing.parent_path();
  if (!fs::is_directory(existing) || access(existing.c_str(), W_OK | X_OK) != 0) {
    fail("the output directory ", root.string(), " is not writable: no permission for ",
         existing.string());
  }
}

RunPaths make_run(const fs::path& root) {
  const RunPaths paths{root};
  std::error_code error;
  fs::create_directories(paths.checkpoints(), error);
  if (error) fail("cannot create the output directory ", root.string(), ": ", error.message());
  return paths;
}

RunPaths find_run(const fs::path& root) {
  const RunPaths paths{root};
  if (!contains_run(root)) {
    fail(Hint{"pass a directory written by `projnce train`, such as runs/NAME"}, root.string(),
         " does not contain a run: config.toml is missing");
  }
  return paths;
}

void remove_leftovers(const RunPaths& paths) {
  remove_stale_temporaries(paths.root);
  remove_stale_temporaries(paths.root / "projector");
}

fs::path unused_run_path(const fs::path& base) {
  fs::path name = base;
  for (int i = 2; fs::exists(name); ++i) name = base.string() + "-" + std::to_string(i);
  return name;
}

}  // namespace projnce::io
