#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// A subset of another dataset, in the order of `indices`; the classes are unchanged.
class SubsetDataset : public DatasetWrapper {
 public:
  SubsetDataset(DatasetPtr base, std::vector<int64_t> indices);

  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  int64_t label(int64_t index) const override { return base().label(at(index)); }
  std::string sample_name(int64_t index) const override { return base().sample_name(at(index)); }
  Sample decode(int64_t index) const override { return base().decode(at(index)); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return base().decode_region(at(index), required);
  }
  std::string content_id(int64_t index) const override { return base().content_id(at(index)); }
  SampleId identity(int64_t index) const override { return base().identity(at(index)); }

 private:
  int64_t at(int64_t index) const { return indices_.at(static_cast<size_t>(index)); }

  std::vector<int64_t> indices_;
};

/// Another dataset with different labels of the same classes.
class RelabeledDataset : public DatasetWrapper {
 public:
  /// Throws unless `labels` assigns a valid class to each sample.
  RelabeledDataset(DatasetPtr base, std::vector<int64_t> labels);

  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return base().decode_region(index, required);
  }

 private:
  std::vector<int64_t> labels_;
};

/// Concatenation of several datasets.
class ConcatDataset : public Dataset {
 public:
  /// REQUIRES: at least one part; all of the same kind and with the same classes.
  explicit ConcatDataset(std::vector<DatasetPtr> parts);

  SampleKind kind() const override { return parts_.front()->kind(); }
  int64_t size() const override { return ends_.back(); }
  const std::vector<std::string>& class_names() const override {
    return parts_.front()->class_names();
  }
  int64_t label(int64_t index) const override;
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override;
  Sample decode_region(int64_t index, const RequiredRegion& required) const override;
  std::string content_id(int64_t index) const override;

 private:
  struct Location {
    const Dataset& part;
    int64_t index;
  };
  Location find(int64_t index) const;

  std::vector<DatasetPtr> parts_;
  std::vector<int64_t> ends_;  // end index of each part
};

/// A dataset with precomputed identities, so that files are hashed once.
class IdentifiedDataset : public DatasetWrapper {
 public:
  /// REQUIRES: one id for each sample.
  IdentifiedDataset(DatasetPtr base, std::vector<SampleId> ids)
      : DatasetWrapper(std::move(base)), ids_(std::move(ids)) {}

  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return base().decode_region(index, required);
  }
  SampleId identity(int64_t index) const override { return ids_.at(static_cast<size_t>(index)); }

 private:
  std::vector<SampleId> ids_;
};

inline DatasetPtr with_identities(const DatasetPtr& base, int threads) {
  return std::make_shared<IdentifiedDataset>(base, sample_ids(*base, threads));
}

/// Converts an image to 1 (gray) or 3 (RGB) channels: gray is repeated, color is converted by
/// 0.299 R + 0.587 G + 0.114 B.
Image with_channels(Image image, int channels);

/// Converts all samples to this number of channels.
DatasetPtr with_channels(DatasetPtr base, int channels);

struct FeatureNoiseOptions {
  double deviation = 0;  ///< standard deviation per pixel value, on the scale 0..255
  bool clip = true;      ///< if true, clip noisy values to 0..255
  bool test = true;      ///< if true, also add noise to the test split
  uint64_t seed = 0;
};

/// Adds Gaussian noise to every pixel value, rounded to integers on the scale 0..255. The noise of
/// an image depends on the seed and its index, so it is the same each time the image is decoded.
/// Throws if the samples are not images.
DatasetPtr with_feature_noise(DatasetPtr images, const FeatureNoiseOptions& options);

/// Effect of label noise on a selected label.
enum class LabelNoiseMode {
  kUniformOther,   ///< replaced by one of the other classes, uniformly
  kUniformAll,     ///< replaced by any class, uniformly; unchanged with probability 1/M
  kPermuteSubset,  ///< permuted among the selected labels; preserves class counts
};

/// The modes with their names in configurations.
std::vector<std::pair<std::string, LabelNoiseMode>> label_noise_modes();

struct LabelNoiseOptions {
  LabelNoiseMode mode = LabelNoiseMode::kUniformOther;
  double rate = 0;    ///< probability of selecting a label, 0 to 1
  uint64_t seed = 0;  ///< determines the selected rows and the new labels
};

/// Returns the labels with noise. Row i draws its own two numbers from the seed, independent of
/// other rows. Throws if a label is not in [0, num_classes), or if there are fewer than two
/// classes.
std::vector<int64_t> add_label_noise(std::vector<int64_t> labels, int64_t num_classes,
                                     const LabelNoiseOptions& options);

}  // namespace projnce::dataset
