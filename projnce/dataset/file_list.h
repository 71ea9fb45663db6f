#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Picture files given one by one, as a dataset without classes: every label is 0.
class FileList : public Dataset {
 public:
  explicit FileList(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}

  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  int64_t label(int64_t /*index*/) const override { return 0; }
  std::string sample_name(int64_t index) const override { return files_[index].string(); }
  Sample decode(int64_t index) const override;

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> no_names_;
};

}  // namespace projnce
