#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace projnce::testing {

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// Creates the directory of a run that has just started.
inline std::filesystem::path make_run_folder(const std::filesystem::path& path) {
  write_text(path / "config.toml",
             "[dataset]\nname = 'photos'\n[encoder]\nname = 'resnet18'\n[loss]\nname = 'supcon'\n"
             "[train]\nepochs = 8\n");
  return path;
}

/// Creates the directory of a finished run.
inline std::filesystem::path make_finished_run(const std::filesystem::path& path,
                                               const std::string& accuracy) {
  make_run_folder(path);
  write_text(path / "summary.json", R"({"epochs": 8, "accuracy": {"last": )" + accuracy + "}}");
  return path;
}

}  // namespace projnce::testing
