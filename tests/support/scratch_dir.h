#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace projnce::testing {

/// A temporary directory, removed with its contents by the destructor.
class ScratchDir {
 public:
  ScratchDir() {
    auto pattern = (std::filesystem::temp_directory_path() / "projnce-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    }
    path_ = pattern;
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace projnce::testing
