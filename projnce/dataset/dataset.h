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

/// Labeled samples, counted from 0. Datasets wrap datasets: a subset, other labels, a cache.
/// All members may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual SampleKind kind() const { return SampleKind::kImage; }
  virtual int64_t size() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  /// In 0 .. class_names().size() - 1.
  virtual int64_t label(int64_t index) const = 0;
  /// The file's name inside the dataset, or the index where samples have none.
  virtual std::string sample_name(int64_t index) const = 0;
  /// Throws projnce::Error, naming the sample, where it cannot be decoded.
  virtual Sample decode(int64_t index) const = 0;
  /// The same, of which no more than `needs` asks for will be looked at: a dataset may save the
  /// work of decoding the rest. What is no image comes whole.
  virtual Sample decode_region(int64_t index, const RequiredRegion& /*needs*/) const {
    return decode(index);
  }
  /// Changes when the sample's file does (its place, size, time); "" where samples have no files
  /// of their own. For keys of caches.
  virtual std::string content_id(int64_t /*index*/) const { return {}; }
  /// Identity of the sample, for splits: the same wherever its file lies and whatever its label.
  /// By default a hash of the decoded values; of the name if they cannot be decoded.
  virtual SampleId identity(int64_t index) const;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// The samples of another dataset; what a wrapper changes, it overrides. A wrapper that is right
/// for parts of images too hands decode_region on; the others decode whole images.
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

/// The layout by which a folder or archive was read, and why.
struct LayoutChoice {
  std::string name;    ///< one of dataset_names()
  std::string reason;  ///< a clause: "data_batch_1.bin is there"
};

/// What a dataset's name stands for.
struct DatasetSplit {
  DatasetPtr train;  ///< to train on
  DatasetPtr test;   ///< to judge by
  /// Labeled samples that class centroids are taken from, with the test part's classes; null where
  /// they are `train`.
  DatasetPtr reference = nullptr;
  /// Noises to mix into training sounds; null where the dataset has none.
  DatasetPtr background = nullptr;
  bool unlabeled = false;  ///< `train` has no labels: its one class says nothing
  double seconds = 0;      ///< usual length of sounds; 0 where it is not known
  /// How the parts were drawn, with all that they depend on besides the samples; "" if they are the
  /// dataset's own.
  std::string split_rule = {};
  /// Sentences for the user: that this is a subset, what was left out.
  std::vector<std::string> remarks = {};
  /// Sentences on what is likely wrong: an empty class folder, images in a format that is not
  /// read.
  std::vector<std::string> warnings = {};
  std::map<std::string, int64_t> unread_files = {};  ///< in class folders, by extension
  LayoutChoice layout = {};
};

}  // namespace projnce::dataset
