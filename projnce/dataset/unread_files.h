#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Counts files of class folders that are not read, by extension.
class UnreadFiles {
 public:
  /// `file` is its name in the tree.
  void add(const std::string& file);

  bool empty() const { return kinds_.empty(); }
  /// What to do about the most frequent pictures, sounds or videos among them; "" if there are
  /// none.
  std::string advice() const;
  /// "12 .heic, 2 .txt", the most frequent first.
  std::string describe() const;
  /// Adds the counts to the split, a warning for each kind of picture, sound or video, and a remark
  /// on all other files.
  void report(DatasetSplit& split) const;

 private:
  struct Kind {
    int64_t count = 0;
    std::string first;  // in order of names, printable
  };

  std::map<std::string, Kind> kinds_;  // by extension, lower case; "" for files without one
};

}  // namespace projnce
