#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// File extensions of this kind. REQUIRES: kImage or kSound.
const std::vector<std::string>& extensions_of(SampleKind kind);

/// Images or sounds stored as files in a folder or archive, decoded on demand.
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

  /// REQUIRES: `kind` is kImage or kSound.
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

/// A list of image or sound files as a dataset without classes: every label is 0.
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

/// Returns kSound if the file has a sound extension, otherwise kImage.
SampleKind kind_by_name(const std::filesystem::path& file);

/// Consecutive records of equal size in one or more files, kept in memory.
class RecordFiles {
 public:
  /// Throws if a file is missing, empty, or contains an incomplete record.
  RecordFiles(const io::FileTree& tree, const std::vector<std::string>& files, size_t record_bytes);

  int64_t size() const { return size_; }
  std::span<const uint8_t> record(int64_t index) const;
  /// Record name: "data_batch_2.bin:17", with the index within the file, from 0.
  std::string name(int64_t index) const;
  /// Description of the record in messages, with the path of its file.
  std::string location(int64_t index) const;

 private:
  struct Part {
    std::string file;
    std::string path;
    io::FileBytes bytes;
    int64_t begin;  // global index of the first record
  };
  const Part& part_of(int64_t index) const;

  std::vector<Part> parts_;
  size_t record_bytes_;
  int64_t size_ = 0;
};

/// Records of one file that may be too large for memory, read on demand.
class RecordStream {
 public:
  RecordStream(io::FileTreePtr tree, std::string file, size_t record_bytes);

  int64_t size() const { return size_; }
  io::FileBytes record(int64_t index) const;
  std::string name(int64_t index) const;

 private:
  io::FileTreePtr tree_;
  std::string file_;
  size_t record_bytes_;
  int64_t size_;
};

/// Storage order of the pixels of a plane.
enum class PlaneOrder { kRows, kColumns };

/// Converts red, green and blue planes to a square image. REQUIRES: 3 * side * side bytes.
Image image_from_planes(std::span<const uint8_t> planes, int side, PlaneOrder order);

}  // namespace projnce::dataset
