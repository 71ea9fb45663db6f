#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

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
