#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

/// A private temporary folder that is removed with its contents on destruction.
class TemporaryFolder {
 public:
  /// `purpose` becomes part of the folder name.
  explicit TemporaryFolder(const std::string& purpose) {
    const auto name = concat("projnce-", purpose, "-XXXXXX");
    auto pattern = (std::filesystem::temp_directory_path() / name).string();
    if (::mkdtemp(pattern.data()) == nullptr) fail_system(errno, "cannot create ", pattern);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace projnce::io
