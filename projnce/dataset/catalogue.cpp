#include "projnce/dataset/catalogue.h"

#include <algorithm>
#include <functional>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/caltech256.h"
#include "projnce/dataset/cifar10.h"
#include "projnce/dataset/cifar100.h"
#include "projnce/dataset/crema_d.h"
#include "projnce/dataset/embeddings.h"
#include "projnce/dataset/esc50.h"
#include "projnce/dataset/folder.h"
#include "projnce/dataset/food101.h"
#include "projnce/dataset/imagenet.h"
#include "projnce/dataset/mnist.h"
#include "projnce/dataset/speech_commands.h"
#include "projnce/dataset/stl10.h"
#include "projnce/dataset/tiny_imagenet.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSplitSeed = 101;  // part of what a seed means: stays as it is
constexpr Range kTestFraction = {.low = 0, .high = 0.9, .low_open = true};

using TreeOpener = std::function<DatasetSplit(const FileTreePtr& tree)>;

/// The files of a dataset, and whether they have its layout.
struct DatasetTree {
  FileTreePtr tree;
  bool recognized = false;
};

/// The tree at `root`; where that is a folder without the layout in which the official archive
/// lies, the archive's.
DatasetTree open_dataset_tree(const fs::path& root, const DatasetEntry& entry) {
  std::error_code ignored;
  if (!fs::exists(root, ignored)) {
    fail(Hint{"give the folder or archive that holds the dataset"}, "there is no folder ",
         printable(root.native()), " and no archive of that name");
  }
  auto tree = open_file_tree(root);
  const bool recognized = entry.recognise != nullptr && entry.recognise(tree);
  if (entry.recognise == nullptr || !fs::is_directory(root, ignored) || recognized) {
    return {tree, recognized};
  }
  for (const auto& archive : entry.archives) {
    if (!fs::is_regular_file(root / archive, ignored)) continue;
    tree = open_file_tree(root / archive);
    return {tree, entry.recognise(tree)};
  }
  return {tree};
}

DatasetOpener on_tree(std::string name, TreeOpener open) {
  return [name = std::move(name), open = std::move(open)](const fs::path& root) {
    const auto& entry = dataset_entry(name);
    const auto [tree, recognized] = open_dataset_tree(root, entry);
    auto split = open(tree);
    if (recognized) split.layout.reason = entry.signature;
    if (auto remark = tree->remark(); !remark.empty()) split.remarks.push_back(std::move(remark));
    return split;
  };
}

/// Runs with different seeds have the same test part, unless split_seed differs too.
HoldOut read_hold_out(TableReader& reader, const OpenContext& context) {
  HoldOut options{.threads = context.threads, .trained_on = context.trained_on};
  int64_t seed = 0;
  reader.field("test_fraction", options.test_fraction, kTestFraction)
      .choice("split", options.rule, split_rules())
      .field("split_seed", seed, at_least(0));
  const bool by_hash = options.rule == SplitRule::kHash;
  options.seed = by_hash ? static_cast<uint64_t>(seed) : derive_seed(context.seed, kSplitSeed);
  return options;
}

DatasetOpener read_caltech256(TableReader& reader, const OpenContext& context) {
  Caltech256Options options{.hold_out = read_hold_out(reader, context)};
  reader.field("clutter", options.clutter);
  return on_tree("caltech256",
                 [options](const auto& tree) { return open_caltech256(tree, options); });
}

DatasetOpener read_cifar10(TableReader& reader, const OpenContext&) {
  Cifar10Options options;
  reader.field("coarse_training", options.coarse_training);
  return on_tree("cifar10", [options](const auto& tree) { return open_cifar10(tree, options); });
}

DatasetOpener read_cifar100(TableReader& reader, const OpenContext&) {
  Cifar100Options options;
  reader.field("coarse", options.coarse).field("coarse_training", options.coarse_training);
  return on_tree("cifar100", [options](const auto& tree) { return open_cifar100(tree, options); });
}

DatasetOpener read_crema_d(TableReader& reader, const OpenContext& context) {
  CremaDOptions options{.hold_out = read_hold_out(reader, context)};
  reader.field("test_speakers", options.test_speakers);
  return on_tree("crema-d", [options](const auto& tree) { return open_crema_d(tree, options); });
}

DatasetOpener read_embeddings(TableReader& reader, const OpenContext& context) {
  const auto options = read_hold_out(reader, context);
  return [options](const fs::path& root) {
    auto split = open_embeddings(root, options);
    split.layout.reason = is_embeddings_file(root) ? "the extension of the file"
                                                   : dataset_entry("embeddings").signature;
    return split;
  };
}

DatasetOpener read_esc50(TableReader& reader, const OpenContext&) {
  Esc50Options options;
  reader.field("fold", options.fold, between(1, 5));
  return on_tree("esc50", [options](const auto& tree) { return open_esc50(tree, options); });
}

DatasetOpener read_fashion_mnist(TableReader&, const OpenContext&) {
  return on_tree("fashion-mnist",
                 [](const auto& tree) { return open_mnist(tree, fashion_mnist_classes()); });
}

DatasetOpener read_folder(TableReader& reader, const OpenContext& context) {
  const auto options = read_hold_out(reader, context);
  return on_tree("folder", [options](const auto& tree) { return open_folder(tree, options); });
}

DatasetOpener read_food101(TableReader&, const OpenContext&) {
  return on_tree("food101", [](const auto& tree) { return open_food101(tree); });
}

DatasetOpener read_imagenet(TableReader&, const OpenContext&) {
  return on_tree("imagenet", [](const auto& tree) { return open_imagenet(tree); });
}

DatasetOpener read_mnist(TableReader&, const OpenContext&) {
  return on_tree("mnist", [](const auto& tree) { return open_mnist(tree, mnist_classes()); });
}

DatasetOpener read_speech_commands(TableReader& reader, const OpenContext&) {
  SpeechCommandsOptions options;
  reader
      .choice(
          "judge_by", options.judge_by,
          {{"test", SpeechCommandsTest::kTest}, {"validation", SpeechCommandsTest::kValidation}})
      .field("lists", options.lists);
  return on_tree("speech-commands",
                 [options](const auto& tree) { return open_speech_commands(tree, options); });
}

DatasetOpener read_stl10(TableReader& reader, const OpenContext&) {
  Stl10Options options;
  reader
      .choice("train_part", options.train_part,
              {{"train", Stl10Train::kTrain},
               {"unlabeled", Stl10Train::kUnlabelled},
               {"train+unlabeled", Stl10Train::kTrainAndUnlabelled}})
      .field("fold", options.fold, between(-1, 9));
  return on_tree("stl10", [options](const auto& tree) { return open_stl10(tree, options); });
}

DatasetOpener read_tiny_imagenet(TableReader&, const OpenContext&) {
  return on_tree("tiny-imagenet", [](const auto& tree) { return open_tiny_imagenet(tree); });
}

/// The two have the same files: the place's name is all that tells them apart.
bool is_called_fashion(const FileTree& tree) {
  return tree.name().find("fashion") != std::string::npos;
}

bool is_fashion_mnist(const FileTreePtr& tree) {
  return is_mnist(tree) && is_called_fashion(*tree);
}

bool is_mnist_of_digits(const FileTreePtr& tree) {
  return is_mnist(tree) && !is_called_fashion(*tree);
}

std::vector<DatasetEntry> make_catalogue() {
  return {
      {.name = "caltech256",
       .summary = "30 607 pictures of objects, 256 classes and clutter",
       .source = "data.caltech.edu/records/nyy15-4j048",
       .folders = {"256_ObjectCategories"},
       .archives = {"256_ObjectCategories.tar"},
       .official = {.total = 29'780},
       .recognise = is_caltech256,
       .signature = "folders such as 001.ak47 with files such as 001_0001.jpg",
       .read_fields = read_caltech256},
      {.name = "cifar10",
       .summary = "60 000 coloured pictures, 32 x 32, 10 classes",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-10-batches-bin"},
       .archives = {"cifar-10-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognise = is_cifar10,
       .signature = "test_batch.bin or data_batch_1.bin",
       .read_fields = read_cifar10},
      {.name = "cifar100",
       .summary = "60 000 coloured pictures, 32 x 32, 100 classes in 20 groups",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-100-binary"},
       .archives = {"cifar-100-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognise = is_cifar100,
       .signature = "train.bin or test.bin beside fine_label_names.txt or coarse_label_names.txt",
       .read_fields = read_cifar100},
      {.name = "crema-d",
       .summary = "7 442 spoken sentences of 91 actors, 6 emotions",
       .source = "github.com/CheyneyComputerScience/CREMA-D",
       .folders = {"CREMA-D"},
       .archives = {"CREMA-D-master.zip"},
       .official = {.total = 7'442},
       .recognise = is_crema_d,
       .signature = "AudioWAV with files such as 1001_DFA_ANG_XX.wav",
       .read_fields = read_crema_d},
      {.name = "embeddings",
       .summary = "vectors and labels of yours, .npy or safetensors",
       .source = "files of yours: set root, or give --data",
       .in_memory = true,
       .recognise = is_embeddings,
       .signature = ".npy files of vectors and of labels",
       .read_fields = read_embeddings},
      {.name = "esc50",
       .summary = "2 000 sounds of 5 seconds from all around us, 50 classes in 5 folds",
       .source = "github.com/karolpiczak/ESC-50",
       .folders = {"ESC-50-master", "ESC-50"},
       .archives = {"ESC-50-master.zip"},
       .official = {.total = 2'000},
       .recognise = is_esc50,
       .signature = "meta/esc50.csv",
       .read_fields = read_esc50},
      {.name = "fashion-mnist",
       .summary = "70 000 grey pictures of clothes, 28 x 28, 10 classes",
       .source =
           "Debian package dataset-fashion-mnist, or github.com/zalandoresearch/fashion-mnist",
       .system_folder = "/usr/share/datasets/fashion-mnist",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognise = is_fashion_mnist,
       .signature = "t10k-images-idx3-ubyte in a place with 'fashion' in its name",
       .read_fields = read_fashion_mnist},
      {.name = "folder",
       .summary = "your own pictures or sounds, a sub-folder for each class",
       .source = "a folder or archive of yours: set root, or give --data",
       .read_fields = read_folder},
      {.name = "food101",
       .summary = "101 000 pictures of dishes, 101 classes",
       .source = "data.vision.ee.ethz.ch/cvl/datasets_extra/food-101",
       .folders = {"food-101"},
       .archives = {"food-101.tar.gz"},
       .official = {.train = 75'750, .test = 25'250},
       .recognise = is_food101,
       .signature = "meta/classes.txt and meta/train.txt",
       .read_fields = read_food101},
      {.name = "imagenet",
       .summary = "1 331 167 pictures of the ILSVRC challenge, 1000 classes",
       .source = "image-net.org, unpacked into train/WNID and val/WNID",
       .folders = {"ILSVRC2012", "ILSVRC"},
       .official = {.train = 1'281'167, .test = 50'000},
       .recognise = is_imagenet,
       .signature = "train and val with folders such as n01440764",
       .read_fields = read_imagenet},
      {.name = "mnist",
       .summary = "70 000 grey pictures of digits, 28 x 28, 10 classes",
       .source = "yann.lecun.com/exdb/mnist, or a mirror of its four files",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognise = is_mnist_of_digits,
       .signature = "t10k-images-idx3-ubyte in a place without 'fashion' in its name",
       .read_fields = read_mnist},
      {.name = "speech-commands",
       .summary = "105 829 spoken words of one second, 35 classes",
       .source = "download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
       .folders = {"speech_commands_v0.02"},
       .archives = {"speech_commands_v0.02.tar.gz"},
       .official = {.train = 84'843},
       .recognise = is_speech_commands,
       .signature =
           "testing_list.txt and validation_list.txt name sounds of class folders, of about 1 s",
       .read_fields = read_speech_commands},
      {.name = "stl10",
       .summary = "13 000 pictures, 96 x 96, 10 classes, and 100 000 without labels",
       .source = "cs.stanford.edu/~acoates/stl10, the binary version",
       .folders = {"stl10_binary"},
       .archives = {"stl10_binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 5'000, .test = 8'000},
       .recognise = is_stl10,
       .signature = "train_X.bin and test_X.bin",
       .read_fields = read_stl10},
      {.name = "tiny-imagenet",
       .summary = "110 000 pictures, 64 x 64, 200 classes",
       .source = "cs231n.stanford.edu/tiny-imagenet-200.zip",
       .folders = {"tiny-imagenet-200"},
       .archives = {"tiny-imagenet-200.zip"},
       .official = {.train = 100'000, .test = 10'000},
       .recognise = is_tiny_imagenet,
       .signature = "wnids.txt and val/val_annotations.txt",
       .read_fields = read_tiny_imagenet},
  };
}

}  // namespace

const std::vector<DatasetEntry>& dataset_catalogue() {
  static const std::vector<DatasetEntry> kCatalogue = make_catalogue();
  return kCatalogue;
}

const DatasetEntry& dataset_entry(const std::string& name) {
  const auto& catalogue = dataset_catalogue();
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const DatasetEntry& entry) { return entry.name == name; });
  if (found == catalogue.end()) fail_unknown("dataset", name, dataset_names());
  return *found;
}

}  // namespace projnce
