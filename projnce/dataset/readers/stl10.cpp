
#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/image_readers.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr int kStl10Side = 96;
constexpr size_t kStl10ImageBytes = size_t{3} * kStl10Side * kStl10Side;
constexpr size_t kMaxStl10Labels = size_t{64} << 20;
constexpr size_t kStl10Folds = 10;

const std::vector<std::string> kStl10Classes = {"airplane", "bird",  "car",    "cat",  "deer",
                                                "dog",      "horse", "monkey", "ship", "truck"};
const std::vector<std::string> kUnlabeledClass = {"unlabeled"};

using StreamPtr = std::shared_ptr<const RecordStream>;

class Stl10Dataset : public Dataset {
 public:
  /// Concatenates the images of `files`, with a label for each.
  Stl10Dataset(std::vector<StreamPtr> files, std::vector<std::string> class_names,
               std::vector<uint8_t> labels)
      : files_(std::move(files)), names_(std::move(class_names)), labels_(std::move(labels)) {}

  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override {
    const auto& file = file_of(index);
    return file.name(index);
  }
  Sample decode(int64_t index) const override {
    const auto& file = file_of(index);
    return image_from_planes(file.record(index).octets(), kStl10Side, PlaneOrder::kColumns);
  }

 private:
  /// Returns the file of a sample and changes `index` to the index within the file.
  const RecordStream& file_of(int64_t& index) const {
    size_t f = 0;
    for (; f + 1 < files_.size() && index >= files_[f]->size(); ++f) index -= files_[f]->size();
    return *files_[f];
  }

  std::vector<StreamPtr> files_;
  std::vector<std::string> names_;
  std::vector<uint8_t> labels_;
};

StreamPtr open_stl10_images(const io::FileTreePtr& folder, const std::string& file) {
  return std::make_shared<RecordStream>(folder, file, kStl10ImageBytes);
}

/// Reads the labels, converted to start from 0.
std::vector<uint8_t> read_stl10_labels(const io::FileTree& folder, const std::string& file,
                                       int64_t images) {
  const auto path = display_path(folder, file);
  if (!folder.has_file(file)) fail(path, " does not exist, expected a label for each image");
  const auto bytes = folder.read(file, kMaxStl10Labels);
  const auto values = bytes.octets();
  if (static_cast<int64_t>(values.size()) != images) {
    fail(Hint{"use files of the same copy of the dataset"}, path, " contains ",
         counted(values.size(), "label"), " for ", counted(images, "image"),
         ", expected equal numbers");
  }
  std::vector<uint8_t> labels;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1 || values[i] > kStl10Classes.size()) {
      fail(path, " has label ", int{values[i]}, " for image ", i, ", expected 1 to ",
           kStl10Classes.size());
    }
    labels.push_back(static_cast<uint8_t>(values[i] - 1));
  }
  return labels;
}

DatasetPtr open_stl10_split(const io::FileTreePtr& folder, const std::string& name,
                            const std::vector<std::string>& names) {
  const auto images = open_stl10_images(folder, name + "_X.bin");
  auto labels = read_stl10_labels(*folder, name + "_y.bin", images->size());
  return std::make_shared<Stl10Dataset>(std::vector{images}, names, std::move(labels));
}

std::vector<int64_t> read_stl10_fold(const io::FileTree& folder, int64_t fold, int64_t images) {
  auto list = read_text_list(folder, "fold_indices.txt");
  std::erase(list.lines, "");
  if (list.lines.size() != kStl10Folds) {
    fail(list.name, " has ", list.lines.size(), " lines, expected one for each of ", kStl10Folds,
         " folds");
  }
  std::vector<int64_t> indices;
  const auto line = static_cast<size_t>(fold);
  for (const auto& word : split_line(list.lines[line], ' ')) {
    if (word.empty()) continue;
    int64_t index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc{} || end != word.data() + word.size() || index < 0 || index >= images) {
      fail(list.location(line), " names image '", io::printable(word), "', expected 0 to ",
           images - 1);
    }
    indices.push_back(index);
  }
  if (indices.empty()) fail(list.location(line), " names no image");
  return indices;
}

DatasetPtr without_labels(std::vector<StreamPtr> files) {
  int64_t size = 0;
  for (const auto& file : files) size += file->size();
  return std::make_shared<Stl10Dataset>(std::move(files), kUnlabeledClass,
                                        std::vector<uint8_t>(static_cast<size_t>(size)));
}

io::FileTreePtr find_stl10(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {"train_X.bin", "test_X.bin"});
}

}  // namespace

bool is_stl10(const io::FileTreePtr& tree) {
  return find_stl10(tree) != nullptr;
}

DatasetSplit open_stl10(const io::FileTreePtr& tree, const Stl10Options& options) {
  auto folder = find_stl10(tree);
  if (!folder) folder = tree;
  DatasetSplit split;
  const auto names = names_or_official(*folder, "class_names.txt", kStl10Classes, split.remarks);
  split.train = open_stl10_split(folder, "train", names);
  split.test = open_stl10_split(folder, "test", names);
  if (options.fold >= 0) {
    split.train = std::make_shared<SubsetDataset>(
        split.train, read_stl10_fold(*folder, options.fold, split.train->size()));
  }
  if (options.train_split == Stl10Train::kTrain) return split;

  // A fold selects the labeled images; training without labels uses all images.
  split.reference = split.train;
  split.unlabeled = true;
  std::vector<StreamPtr> files;
  if (options.train_split == Stl10Train::kTrainAndUnlabeled) {
    files.push_back(open_stl10_images(folder, "train_X.bin"));
  }
  files.push_back(open_stl10_images(folder, "unlabeled_X.bin"));
  split.train = without_labels(std::move(files));
  return split;
}

}  // namespace projnce::dataset
