#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Pictures or sounds given file by file, as a dataset without classes: every label is 0.
class FileList : public Dataset {
 public:
  FileList(std::vector<std::filesystem::path> files, SampleKind kind)
      : files_(std::move(files)), kind_(kind) {}

  SampleKind kind() const override { return kind_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  int64_t label(int64_t /*index*/) const override { return 0; }
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override { return decode_part(index, {}); }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override;

 private:
  std::vector<std::filesystem::path> files_;
  SampleKind kind_;
  std::vector<std::string> no_names_;
};

/// Sound where the name ends as sounds do, else picture.
SampleKind kind_by_name(const std::filesystem::path& file);

}  // namespace projnce
