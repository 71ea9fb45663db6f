#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/dataset.h"
#include "tests/support/test_images.h"

namespace projnce::testing {

/// In-memory images and labels; an image without pixels counts as corrupt.
class MemoryDataset : public dataset::Dataset {
 public:
  MemoryDataset(std::vector<Image> images, std::vector<int64_t> labels, int64_t classes)
      : images_(std::move(images)), labels_(std::move(labels)) {
    for (int64_t c = 0; c < classes; ++c) names_.push_back("class " + std::to_string(c));
  }

  int64_t size() const override { return static_cast<int64_t>(images_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return std::to_string(index); }
  Sample decode(int64_t index) const override {
    const auto& image = images_.at(static_cast<size_t>(index));
    if (image.pixels.empty()) fail("sample ", index, " is corrupt");
    return image;
  }

 private:
  std::vector<Image> images_;
  std::vector<int64_t> labels_;
  std::vector<std::string> names_;
};

/// Square images of random bytes.
inline std::vector<Image> random_images(int64_t count, int size, int channels) {
  std::vector<Image> images;
  for (int64_t i = 0; i < count; ++i) {
    images.push_back(random_image(size, size, channels, static_cast<uint64_t>(i)));
  }
  return images;
}

/// 0, 1, ..., classes - 1, 0, 1, ...
inline std::vector<int64_t> cycling_labels(int64_t count, int64_t classes) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back(i % classes);
  return labels;
}

inline std::shared_ptr<MemoryDataset> random_dataset(int64_t count, int64_t classes, int size,
                                                     int channels) {
  return std::make_shared<MemoryDataset>(random_images(count, size, channels),
                                         cycling_labels(count, classes), classes);
}

/// A dataset with `counts[c]` one-pixel images of class c.
inline std::shared_ptr<MemoryDataset> uneven_dataset(const std::vector<int64_t>& counts) {
  std::vector<int64_t> labels;
  for (size_t c = 0; c < counts.size(); ++c) {
    labels.insert(labels.end(), static_cast<size_t>(counts[c]), static_cast<int64_t>(c));
  }
  return std::make_shared<MemoryDataset>(random_images(static_cast<int64_t>(labels.size()), 1, 1),
                                         labels, static_cast<int64_t>(counts.size()));
}

}  // namespace projnce::testing
