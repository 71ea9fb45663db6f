#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// File extensions of this kind. REQUIRES: kImage or kAudio.
const std::vector<std::string>& extensions_of(SampleKind kind);

/// Images or audio clips stored as files in a folder or archive, decoded on demand.
class FileDataset : public Dataset {
 public:
  struct File {
    std::string file;  ///< name in the tree
    int64_t label = 0;
  };

  /// Input of the hash that identifies a sample.
  enum class Identity {
    kContent,
    kName,  ///< file name in the tree; for official datasets that are slow to read
  };

  /// REQUIRES: `kind` is kImage or kAudio.
  FileDataset(io::FileTreePtr tree, SampleKind kind, std::vector<std::string> class_names,
              std::vector<File> files, Identity identity = Identity::kContent);

  SampleKind kind() const override { return kind_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return at(index).label; }
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override { return decode_region(index, {}); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override;
  std::string content_id(int64_t index) const override;
  SampleId identity(int64_t index) const override;

 private:
  const File& at(int64_t index) const { return files_.at(static_cast<size_t>(index)); }

  io::FileTreePtr tree_;
  SampleKind kind_;
  std::vector<std::string> names_;
  std::vector<File> files_;
  Identity identity_;
};

/// A list of image or audio files as a dataset without classes: every label is 0.
class FileList : public Dataset {
 public:
  FileList(std::vector<std::filesystem::path> files, SampleKind kind)
      : files_(std::move(files)), kind_(kind) {}

  SampleKind kind() const override { return kind_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  int64_t label(int64_t /*index*/) const override { return 0; }
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override { return decode_region(index, {}); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override;

 private:
  std::vector<std::filesystem::path> files_;
  SampleKind kind_;
  std::vector<std::string> no_names_;
};

/// Returns kAudio if the file has an audio extension, otherwise kImage.
SampleKind kind_by_name(const std::filesystem::path& file);

}  // namespace projnce::dataset
