#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Picture files of any size, grey or coloured, decoded when asked for.
class ImageFolder : public Dataset {
 public:
  struct File {
    std::string file;  ///< below the root
    int64_t label;
  };

  ImageFolder(std::filesystem::path root, std::vector<std::string> class_names,
              std::vector<File> samples);

  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override;
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override { return decode_part(index, {}); }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override;

 private:
  std::filesystem::path root_;
  std::vector<std::string> names_;
  std::vector<File> samples_;
};

struct ImageFolderOptions {
  /// Share of each class that is set aside where the folder has no test part; above 0, below 1.
  double test_fraction = 0.2;
  uint64_t seed = 0;  ///< decides which samples those are
};

/// Opens a folder that has a sub-folder for each class, or `train` with those and beside it, in
/// this order of preference, `test`, `val` or `valid`. The classes are the training part's, sorted
/// by name; the test part may lack some of them. A `train` that holds pictures and has other
/// folders beside it is a class of that name. Throws where there is nothing to train on or to test
/// with, there is one class only, a class to train on is empty, or a class is in the test part
/// alone.
DatasetSplit open_image_folder(const std::filesystem::path& root,
                               const ImageFolderOptions& options);

}  // namespace projnce
