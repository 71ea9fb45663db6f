#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/split/sample_id.h"

namespace projnce::dataset {

/// Labeled samples with indices from 0. Datasets can wrap other datasets (subset, relabeling,
/// cache). All functions are thread-safe.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual SampleKind kind() const { return SampleKind::kImage; }
  virtual int64_t size() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  /// In 0 .. class_names().size() - 1.
  virtual int64_t label(int64_t index) const = 0;
  /// File name within the dataset, or the index if samples have no files.
  virtual std::string sample_name(int64_t index) const = 0;
  /// Throws projnce::Error, naming the sample, if it cannot be decoded.
  virtual Sample decode(int64_t index) const = 0;
  /// As decode, but only the region returned by `required` will be read, so a dataset may skip
  /// decoding the rest. Samples that are not images are always complete.
  virtual Sample decode_region(int64_t index, const RequiredRegion& /*required*/) const {
    return decode(index);
  }
  /// Identifier that changes with the sample's file (location, size, time); "" if samples have no
  /// files of their own. Used in cache keys.
  virtual std::string content_id(int64_t /*index*/) const { return {}; }
  /// Identity of the sample for splits, independent of file location and label. Default: a hash of
  /// the decoded values, or of the name if decoding fails.
  virtual SampleId identity(int64_t index) const;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// Forwards to another dataset; subclasses override what they change. Subclasses that also work on
/// partially decoded images forward decode_region; by default, whole images are decoded.
class DatasetWrapper : public Dataset {
 public:
  explicit DatasetWrapper(DatasetPtr base) : base_(std::move(base)) {}

  SampleKind kind() const override { return base_->kind(); }
  int64_t size() const override { return base_->size(); }
  const std::vector<std::string>& class_names() const override { return base_->class_names(); }
  int64_t label(int64_t index) const override { return base_->label(index); }
  std::string sample_name(int64_t index) const override { return base_->sample_name(index); }
  Sample decode(int64_t index) const override { return base_->decode(index); }
  std::string content_id(int64_t index) const override { return base_->content_id(index); }
  SampleId identity(int64_t index) const override { return base_->identity(index); }

 protected:
  const Dataset& base() const { return *base_; }

 private:
  DatasetPtr base_;
};

/// Layout that was used to read a folder or archive, and why.
struct LayoutChoice {
  std::string name;    ///< one of dataset_names()
  std::string reason;  ///< clause that explains the choice
};

/// The splits of a dataset.
struct DatasetSplit {
  DatasetPtr train;  ///< training split
  DatasetPtr test;   ///< test split
  /// Labeled samples for class centroids, with the classes of the test split; null if `train` is
  /// used.
  DatasetPtr reference = nullptr;
  /// Noises to mix into training clips; null if the dataset has none.
  DatasetPtr background = nullptr;
  bool unlabeled = false;  ///< if true, `train` has no labels, only a single dummy class
  double seconds = 0;      ///< typical length of clips; 0 if unknown
  /// Rule by which the splits were drawn, including all of its parameters; "" for official splits.
  std::string split_rule = {};
  /// Sentences for the user, such as that this is a subset or what was skipped.
  std::vector<std::string> remarks = {};
  /// Sentences about likely problems: an empty class folder, images in an unsupported format.
  std::vector<std::string> warnings = {};
  std::map<std::string, int64_t> unread_files = {};  ///< unsupported files, by extension
  LayoutChoice layout = {};
};

}  // namespace projnce::dataset
