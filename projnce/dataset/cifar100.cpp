#include "projnce/dataset/cifar100.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/cifar.h"
#include "projnce/dataset/layout.h"

namespace projnce {

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

/// The files are called train.bin and test.bin, which others may use too: the names tell.
FileTreePtr find_cifar100(const FileTreePtr& tree) {
  for (const char* names : {"fine_label_names.txt", "coarse_label_names.txt"}) {
    for (const char* records : {"train.bin", "test.bin"}) {
      if (auto folder = find_subtree_with(tree, {records, names})) return folder;
    }
  }
  return nullptr;
}

RecordsPtr read_cifar100_part(const FileTree& tree, const std::string& file) {
  auto records = std::make_shared<RecordFiles>(tree, std::vector{file}, kCifar100RecordBytes);
  cifar_labels(*records, kCoarseByte, kCifar100Coarse.size());  // both are checked, used or not
  cifar_labels(*records, kFineByte, kCifar100Fine.size());
  return records;
}

}  // namespace

bool is_cifar100(const FileTreePtr& tree) {
  return find_cifar100(tree) != nullptr;
}

DatasetSplit open_cifar100(const FileTreePtr& tree, const Cifar100Options& options) {
  if (options.coarse && options.coarse_training) {
    fail(
        "[dataset] coarse and coarse_training are both set, expected one of them: coarse judges "
        "by the 20 classes, coarse_training by the 100");
  }
  auto found = find_cifar100(tree);
  if (!found) found = find_subtree_with(tree, {"train.bin", "test.bin"});
  const auto& folder = found ? *found : *tree;
  const auto train = read_cifar100_part(folder, "train.bin");
  const auto test = read_cifar100_part(folder, "test.bin");

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
  (options.coarse_training ? split.known : split.train) = fine(train);
  split.test = fine(test);
  return split;
}

}  // namespace projnce
