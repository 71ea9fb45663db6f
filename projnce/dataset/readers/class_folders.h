#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Counts files of class folders that are not read, by extension.
class UnreadFiles {
 public:
  /// `file` is its name in the tree.
  void add(const std::string& file);

  bool empty() const { return kinds_.empty(); }
  /// What to do about the most frequent images, sounds or videos among them; "" if there are
  /// none.
  std::string advice() const;
  /// "12 .heic, 2 .txt", the most frequent first.
  std::string describe() const;
  /// Adds the counts to the split, a warning for each kind of image, sound or video, and a remark
  /// on all other files.
  void report(DatasetSplit& split) const;

 private:
  struct Kind {
    int64_t count = 0;
    std::string first;  // in order of names, printable
  };

  std::map<std::string, Kind> kinds_;  // by extension, lower case; "" for files without one
};

/// A folder and the files in it, which are of one class.
struct ClassFolder {
  std::string name;
  std::vector<std::string> files;  // in the tree
};

/// The sub-folders of `part`, sorted by name, with the files at any depth below them that have one
/// of these endings. The others are added to `unread`, which may be null.
std::vector<ClassFolder> scan_class_folders(const io::FileTree& tree, const std::string& part,
                                            const std::vector<std::string>& extensions,
                                            UnreadFiles* unread = nullptr);

/// Removes the classes without files, each with a warning. Throws, naming one of them and what
/// `unread` holds, if fewer than two classes are left; `folder` is what messages call the place.
void drop_empty_classes(std::vector<ClassFolder>& classes, SampleKind kind,
                        const std::string& folder, const UnreadFiles& unread,
                        std::vector<std::string>& warnings);

/// Throws unless there are two or more classes, each with a file; `folder` is what messages call
/// the place.
void check_training_classes(const std::vector<ClassFolder>& classes, SampleKind kind,
                            const std::string& folder);

/// The names of the folders, printable.
std::vector<std::string> folder_names(const std::vector<ClassFolder>& classes);

/// The classes of a training part, and what each is called.
struct ClassList {
  std::vector<ClassFolder> folders;
  std::vector<std::string> names;
};

/// The files of `part`, labeled by the place of their folder's name among the classes. Throws
/// where the training part has no folder of that name.
DatasetPtr label_class_folders(const io::FileTreePtr& tree, SampleKind kind,
                               const std::vector<ClassFolder>& part, const ClassList& classes,
                               FileDataset::Identity identity = FileDataset::Identity::kContent);

/// How to choose the test part of samples that have no official one.
enum class SplitRule {
  kHash,     ///< by the identity of each sample, see hash_split: stable when the data changes
  kShuffle,  ///< the former rule: an exact share of each class, shuffled by the seed
};

std::vector<std::pair<std::string, SplitRule>> split_rules();

/// Samples that a model has been trained on, and the rule that its split was drawn by.
struct TrainedOn {
  std::string split_rule;
  SampleIdSet ids;
};

/// How to divide samples that have no official test part.
struct HoldOut {
  /// Share of the samples that is set aside; above 0, below 1.
  double test_fraction = 0.2;
  uint64_t seed = 0;  ///< decides which samples those are
  SplitRule rule = SplitRule::kHash;
  int threads = 1;  ///< that hash samples
  /// Samples that stay in the training part if they were split by the same rule; may be null.
  std::shared_ptr<const TrainedOn> trained_on = nullptr;
};

/// Both parts out of all samples. If all samples are alike, their names decide.
DatasetSplit divide(const DatasetPtr& samples, const HoldOut& options);

/// The text of DatasetSplit::split_rule.
std::string describe_rule(const HoldOut& options);

/// Names that occur twice get their `ids` in brackets: "crane (n02012849)".
std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        const std::vector<std::string>& ids);

}  // namespace projnce::dataset
