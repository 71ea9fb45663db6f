#include "projnce/dataset/readers/image_readers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/readers/tree_files.h"

namespace projnce::dataset {

namespace {

constexpr int kCifarSide = 32;

class CifarDataset : public Dataset {
 public:
  CifarDataset(std::shared_ptr<const RecordFiles> records, std::vector<std::string> class_names,
               std::vector<int64_t> labels)
      : records_(std::move(records)), names_(std::move(class_names)), labels_(std::move(labels)) {}

  int64_t size() const override { return records_->size(); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return records_->name(index); }
  Sample decode(int64_t index) const override {
    return image_from_planes(records_->record(index).last(kCifarPixelBytes), kCifarSide,
                             PlaneOrder::kRows);
  }

 private:
  std::shared_ptr<const RecordFiles> records_;
  std::vector<std::string> names_;
  std::vector<int64_t> labels_;
};

}  // namespace

std::vector<int64_t> cifar_labels(const RecordFiles& records, size_t byte, size_t classes) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < records.size(); ++i) {
    const auto label = records.record(i)[byte];
    if (label >= classes) {
      fail(records.location(i), " has the label ", int{label}, ", expected 0 to ", classes - 1);
    }
    labels.push_back(label);
  }
  return labels;
}

DatasetPtr make_cifar_dataset(std::shared_ptr<const RecordFiles> records,
                              std::vector<std::string> class_names, std::vector<int64_t> labels) {
  return std::make_shared<CifarDataset>(std::move(records), std::move(class_names),
                                        std::move(labels));
}

std::vector<std::string> names_or_official(const io::FileTree& tree, const std::string& file,
                                           const std::vector<std::string>& official,
                                           std::vector<std::string>& remarks) {
  if (tree.has_file(file)) return read_name_list(tree, file, official.size());
  remarks.push_back(file + " is missing: using the official class names");
  return official;
}

namespace {

constexpr size_t kCifar10RecordBytes = 1 + kCifarPixelBytes;
const char* const kCifar10Test = "test_batch.bin";
const std::vector<std::string> kCifar10Train = {"data_batch_1.bin", "data_batch_2.bin",
                                                "data_batch_3.bin", "data_batch_4.bin",
                                                "data_batch_5.bin"};
const std::vector<std::string> kCifar10Classes = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
const std::vector<std::string> kCifar10CoarseClasses = {"vehicle", "animal"};

int64_t coarse_cifar10_label(int64_t label) {
  const bool vehicle = label == 0 || label == 1 || label == 8 || label == 9;
  return vehicle ? 0 : 1;
}

/// Null if there is none. Either file suffices, so that the other can be reported as missing.
io::FileTreePtr find_cifar10(const io::FileTreePtr& tree) {
  auto folder = find_subtree_with(tree, {kCifar10Test});
  return folder ? folder : find_subtree_with(tree, {kCifar10Train[0]});
}

}  // namespace

bool is_cifar10(const io::FileTreePtr& tree) {
  return find_cifar10(tree) != nullptr;
}

DatasetSplit open_cifar10(const io::FileTreePtr& tree, const Cifar10Options& options) {
  const auto found = find_cifar10(tree);
  const auto& folder = found ? *found : *tree;
  const auto train = std::make_shared<RecordFiles>(folder, kCifar10Train, kCifar10RecordBytes);
  const auto test = std::make_shared<RecordFiles>(folder, std::vector<std::string>{kCifar10Test},
                                                  kCifar10RecordBytes);

  DatasetSplit split;
  const auto names = names_or_official(folder, "batches.meta.txt", kCifar10Classes, split.remarks);
  auto labels = cifar_labels(*train, 0, names.size());
  split.train = make_cifar_dataset(train, names, labels);
  split.test = make_cifar_dataset(test, names, cifar_labels(*test, 0, names.size()));
  if (options.coarse_training) {
    split.reference = split.train;
    for (auto& label : labels) label = coarse_cifar10_label(label);
    split.train = make_cifar_dataset(train, kCifar10CoarseClasses, std::move(labels));
  }
  return split;
}

namespace {

constexpr size_t kCifar100RecordBytes = 2 + kCifarPixelBytes;
constexpr size_t kCoarseByte = 0;
constexpr size_t kFineByte = 1;

const std::vector<std::string> kCifar100Coarse = {"aquatic_mammals",
                                                  "fish",
                                                  "flowers",
                                                  "food_containers",
                                                  "fruit_and_vegetables",
                                                  "household_electrical_devices",
                                                  "household_furniture",
                                                  "insects",
                                                  "large_carnivores",
                                                  "large_man-made_outdoor_things",
                                                  "large_natural_outdoor_scenes",
                                                  "large_omnivores_and_herbivores",
                                                  "medium_mammals",
                                                  "non-insect_invertebrates",
                                                  "people",
                                                  "reptiles",
                                                  "small_mammals",
                                                  "trees",
                                                  "vehicles_1",
                                                  "vehicles_2"};
const std::vector<std::string> kCifar100Fine = {
    "apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
    "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
    "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
    "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
    "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
    "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
    "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
    "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple",
    "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak",          "orange",
    "orchid",      "otter",         "palm",      "pear",       "pickup_truck", "pine",
    "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
    "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
    "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
    "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
    "table",       "tank",          "telephone", "television", "tiger",        "tractor",
    "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
    "willow",      "wolf",          "woman",     "worm"};

using RecordsPtr = std::shared_ptr<const RecordFiles>;

/// The names train.bin and test.bin are ambiguous, so a file of class names must exist, too.
io::FileTreePtr find_cifar100(const io::FileTreePtr& tree) {
  for (const char* names : {"fine_label_names.txt", "coarse_label_names.txt"}) {
    for (const char* records : {"train.bin", "test.bin"}) {
      if (auto folder = find_subtree_with(tree, {records, names})) return folder;
    }
  }
  return nullptr;
}

RecordsPtr read_cifar100_split(const io::FileTree& tree, const std::string& file) {
  auto records = std::make_shared<RecordFiles>(tree, std::vector{file}, kCifar100RecordBytes);
  cifar_labels(*records, kCoarseByte, kCifar100Coarse.size());  // check both, even if unused
  cifar_labels(*records, kFineByte, kCifar100Fine.size());
  return records;
}

}  // namespace

bool is_cifar100(const io::FileTreePtr& tree) {
  return find_cifar100(tree) != nullptr;
}

DatasetSplit open_cifar100(const io::FileTreePtr& tree, const Cifar100Options& options) {
  if (options.coarse && options.coarse_training) {
    fail(
        "[dataset] coarse and coarse_training are both set, expected one of them: coarse evaluates "
        "on the 20 classes, coarse_training on the 100");
  }
  auto found = find_cifar100(tree);
  if (!found) found = find_subtree_with(tree, {"train.bin", "test.bin"});
  const auto& folder = found ? *found : *tree;
  const auto train = read_cifar100_split(folder, "train.bin");
  const auto test = read_cifar100_split(folder, "test.bin");

  DatasetSplit split;
  const auto coarse = [&](const RecordsPtr& records, const std::vector<std::string>& names) {
    return make_cifar_dataset(records, names, cifar_labels(*records, kCoarseByte, names.size()));
  };
  if (options.coarse || options.coarse_training) {
    const auto names =
        names_or_official(folder, "coarse_label_names.txt", kCifar100Coarse, split.remarks);
    split.train = coarse(train, names);
    split.test = coarse(test, names);
    if (options.coarse) return split;
  }
  const auto names =
      names_or_official(folder, "fine_label_names.txt", kCifar100Fine, split.remarks);
  const auto fine = [&](const RecordsPtr& records) {
    return make_cifar_dataset(records, names, cifar_labels(*records, kFineByte, names.size()));
  };
  (options.coarse_training ? split.reference : split.train) = fine(train);
  split.test = fine(test);
  return split;
}

}  // namespace projnce::dataset
