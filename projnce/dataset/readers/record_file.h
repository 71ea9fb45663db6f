#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Records of equal size that lie one after another in some files, held in memory.
class RecordFiles {
 public:
  /// Throws where a file is missing, empty or does not hold whole records.
  RecordFiles(const io::FileTree& tree, const std::vector<std::string>& files, size_t record_bytes);

  int64_t size() const { return size_; }
  std::span<const uint8_t> record(int64_t index) const;
  /// "data_batch_2.bin:17", with the number counted from 0 in its file.
  std::string name(int64_t index) const;
  /// What messages call the record: with the path of its file.
  std::string place(int64_t index) const;

 private:
  struct Part {
    std::string file;
    std::string place;
    io::FileBytes bytes;
    int64_t begin;  // number of its first record among all
  };
  const Part& part_of(int64_t index) const;

  std::vector<Part> parts_;
  size_t record_bytes_;
  int64_t size_ = 0;
};

/// The same in one file that may be too large for memory: each record is read when asked for.
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

/// How the pixels of a plane follow each other.
enum class PlaneOrder { kRows, kColumns };

/// A square image out of its red, green and blue plane. REQUIRES: 3 * side * side bytes.
Image image_from_planes(std::span<const uint8_t> planes, int side, PlaneOrder order);

}  // namespace projnce::dataset
