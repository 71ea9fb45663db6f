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

/// Counts unsupported files in class folders by extension.
class UnreadFiles {
 public:
  /// `file` is the name in the tree.
  void add(const std::string& file);

  bool empty() const { return kinds_.empty(); }
  /// Conversion advice for the most frequent unsupported image, sound or video format; "" if there
  /// is none.
  std::string advice() const;
  /// Formats the counts, most frequent first: "12 .heic, 2 .txt".
  std::string describe() const;
  /// Adds to the split the counts, a warning for each image, sound or video format, and a remark
  /// about all other files.
  void report(DatasetSplit& split) const;

 private:
  struct Kind {
    int64_t count = 0;
    std::string first;  // first file name in order, printable
  };

  std::map<std::string, Kind> kinds_;  // by lowercase extension; "" for files without one
};

/// A class folder with its files.
struct ClassFolder {
  std::string name;
  std::vector<std::string> files;  // names in the tree
};

/// Lists the subfolders of `part`, sorted by name, with the files at any depth below them that have
/// one of these extensions. Adds all other files to `unread`, which may be null.
std::vector<ClassFolder> scan_class_folders(const io::FileTree& tree, const std::string& part,
                                            const std::vector<std::string>& extensions,
                                            UnreadFiles* unread = nullptr);

/// Removes classes without files, each with a warning. Throws if fewer than two classes remain,
/// naming an empty one and the unsupported files. `folder` is the location in messages.
void drop_empty_classes(std::vector<ClassFolder>& classes, SampleKind kind,
                        const std::string& folder, const UnreadFiles& unread,
                        std::vector<std::string>& warnings);

/// Throws unless there are at least two classes, each with a file; `folder` is the location in
/// messages.
void check_training_classes(const std::vector<ClassFolder>& classes, SampleKind kind,
                            const std::string& folder);

/// Printable names of the folders.
std::vector<std::string> folder_names(const std::vector<ClassFolder>& classes);

/// The class folders of a training split and their class names.
struct ClassList {
  std::vector<ClassFolder> folders;
  std::vector<std::string> names;
};

/// Labels the files of `part` by the index of their folder name among the classes. Throws if the
/// training split has no folder of that name.
DatasetPtr label_class_folders(const io::FileTreePtr& tree, SampleKind kind,
                               const std::vector<ClassFolder>& part, const ClassList& classes,
                               FileDataset::Identity identity = FileDataset::Identity::kContent);

/// Rule for choosing the test split of a dataset without an official one.
enum class SplitRule {
  kHash,     ///< by the hash of each sample (see hash_split); stable if the data changes
  kShuffle,  ///< legacy rule: an exact fraction of each class, shuffled by the seed
};

std::vector<std::pair<std::string, SplitRule>> split_rules();

/// Samples that a model was trained on, and the rule of its split.
struct TrainedOn {
  std::string split_rule;
  SampleIdSet ids;
};

/// Parameters for splitting samples without an official test split.
struct HoldOut {
  /// Fraction of samples to hold out, in (0, 1).
  double test_fraction = 0.2;
  uint64_t seed = 0;  ///< selects the samples
  SplitRule rule = SplitRule::kHash;
  int threads = 1;  ///< number of threads for hashing
  /// Samples that stay in the training split if they were split by the same rule; may be null.
  std::shared_ptr<const TrainedOn> trained_on = nullptr;
};

/// Splits the samples. If all samples are identical, splits by name.
DatasetSplit split_samples(const DatasetPtr& samples, const HoldOut& options);

/// Text of DatasetSplit::split_rule.
std::string describe_rule(const HoldOut& options);

/// Appends the id in parentheses to duplicate names: "crane (n02012849)".
std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        const std::vector<std::string>& ids);

/// Opens a folder or archive with a subfolder per class, or with `train` and one of `test`, `val`
/// or `valid` (in this order of preference) that contain the class folders.
///
/// - Single enclosing folders are skipped.
/// - The samples are images or sounds, whichever are more; the others are skipped with a remark.
/// - The classes are those of the training split, sorted by name; the test split may lack some.
/// - A folder `train` that contains files and has other folders next to it is a class.
/// - Class folders without files are skipped with a warning; unsupported files are counted by
///   extension.
///
/// Throws if the training or test split would be empty, fewer than two classes have files, or a
/// class occurs only in the test split.
DatasetSplit open_folder(const io::FileTreePtr& tree, const HoldOut& options);

}  // namespace projnce::dataset
