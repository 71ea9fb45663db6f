#include "projnce/dataset/catalogue.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
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
#include "projnce/dataset/registry.h"
#include "projnce/dataset/speech_commands.h"
#include "projnce/dataset/stl10.h"
#include "projnce/dataset/tiny_imagenet.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

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

/// Opens a tree by `open`, whose reader takes these options.
template <class Options, DatasetSplit (*open)(const FileTreePtr&, const Options&)>
DatasetSplit on_tree(const DatasetEntry& entry, const fs::path& root,
                     const LayoutOptions& options) {
  const auto [tree, recognized] = open_dataset_tree(root, entry);
  auto split = open(tree, std::get<Options>(options));
  if (recognized) split.layout.reason = entry.signature;
  if (auto remark = tree->remark(); !remark.empty()) split.remarks.push_back(std::move(remark));
  return split;
}

template <DatasetSplit (*open)(const FileTreePtr&)>
DatasetSplit without_options(const FileTreePtr& tree, const NoLayoutOptions& /*options*/) {
  return open(tree);
}

template <DatasetSplit (*open)(const FileTreePtr&)>
constexpr auto on_plain_tree = on_tree<NoLayoutOptions, without_options<open>>;

DatasetSplit open_fashion_mnist(const FileTreePtr& tree) {
  return open_mnist(tree, fashion_mnist_classes());
}

DatasetSplit open_digits(const FileTreePtr& tree) {
  return open_mnist(tree, mnist_classes());
}

DatasetSplit open_vectors(const DatasetEntry& entry, const fs::path& root,
                          const LayoutOptions& options) {
  auto split = open_embeddings(root, std::get<HoldOut>(options));
  split.layout.reason = is_embeddings_file(root) ? "the extension of the file" : entry.signature;
  return split;
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
       .layout = Caltech256Options{},
       .open = on_tree<Caltech256Options, open_caltech256>},
      {.name = "cifar10",
       .summary = "60 000 coloured pictures, 32 x 32, 10 classes",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-10-batches-bin"},
       .archives = {"cifar-10-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognise = is_cifar10,
       .signature = "test_batch.bin or data_batch_1.bin",
       .layout = Cifar10Options{},
       .open = on_tree<Cifar10Options, open_cifar10>},
      {.name = "cifar100",
       .summary = "60 000 coloured pictures, 32 x 32, 100 classes in 20 groups",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-100-binary"},
       .archives = {"cifar-100-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognise = is_cifar100,
       .signature = "train.bin or test.bin beside fine_label_names.txt or coarse_label_names.txt",
       .layout = Cifar100Options{},
       .open = on_tree<Cifar100Options, open_cifar100>},
      {.name = "crema-d",
       .summary = "7 442 spoken sentences of 91 actors, 6 emotions",
       .source = "github.com/CheyneyComputerScience/CREMA-D",
       .folders = {"CREMA-D"},
       .archives = {"CREMA-D-master.zip"},
       .official = {.total = 7'442},
       .recognise = is_crema_d,
       .signature = "AudioWAV with files such as 1001_DFA_ANG_XX.wav",
       .layout = CremaDOptions{},
       .open = on_tree<CremaDOptions, open_crema_d>},
      {.name = "embeddings",
       .summary = "vectors and labels of yours, .npy or safetensors",
       .source = "files of yours: set root, or give --data",
       .in_memory = true,
       .recognise = is_embeddings,
       .signature = ".npy files of vectors and of labels",
       .layout = HoldOut{},
       .open = open_vectors},
      {.name = "esc50",
       .summary = "2 000 sounds of 5 seconds from all around us, 50 classes in 5 folds",
       .source = "github.com/karolpiczak/ESC-50",
       .folders = {"ESC-50-master", "ESC-50"},
       .archives = {"ESC-50-master.zip"},
       .official = {.total = 2'000},
       .recognise = is_esc50,
       .signature = "meta/esc50.csv",
       .layout = Esc50Options{},
       .open = on_tree<Esc50Options, open_esc50>},
      {.name = "fashion-mnist",
       .summary = "70 000 grey pictures of clothes, 28 x 28, 10 classes",
       .source =
           "Debian package dataset-fashion-mnist, or github.com/zalandoresearch/fashion-mnist",
       .system_folder = "/usr/share/datasets/fashion-mnist",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognise = is_fashion_mnist,
       .signature = "t10k-images-idx3-ubyte in a place with 'fashion' in its name",
       .open = on_plain_tree<open_fashion_mnist>},
      {.name = "folder",
       .summary = "your own pictures or sounds, a sub-folder for each class",
       .source = "a folder or archive of yours: set root, or give --data",
       .layout = HoldOut{},
       .open = on_tree<HoldOut, open_folder>},
      {.name = "food101",
       .summary = "101 000 pictures of dishes, 101 classes",
       .source = "data.vision.ee.ethz.ch/cvl/datasets_extra/food-101",
       .folders = {"food-101"},
       .archives = {"food-101.tar.gz"},
       .official = {.train = 75'750, .test = 25'250},
       .recognise = is_food101,
       .signature = "meta/classes.txt and meta/train.txt",
       .open = on_plain_tree<open_food101>},
      {.name = "imagenet",
       .summary = "1 331 167 pictures of the ILSVRC challenge, 1000 classes",
       .source = "image-net.org, unpacked into train/WNID and val/WNID",
       .folders = {"ILSVRC2012", "ILSVRC"},
       .official = {.train = 1'281'167, .test = 50'000},
       .recognise = is_imagenet,
       .signature = "train and val with folders such as n01440764",
       .open = on_plain_tree<open_imagenet>},
      {.name = "mnist",
       .summary = "70 000 grey pictures of digits, 28 x 28, 10 classes",
       .source = "yann.lecun.com/exdb/mnist, or a mirror of its four files",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognise = is_mnist_of_digits,
       .signature = "t10k-images-idx3-ubyte in a place without 'fashion' in its name",
       .open = on_plain_tree<open_digits>},
      {.name = "speech-commands",
       .summary = "105 829 spoken words of one second, 35 classes",
       .source = "download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
       .folders = {"speech_commands_v0.02"},
       .archives = {"speech_commands_v0.02.tar.gz"},
       .official = {.train = 84'843},
       .recognise = is_speech_commands,
       .signature =
           "testing_list.txt and validation_list.txt name sounds of class folders, of about 1 s",
       .layout = SpeechCommandsOptions{},
       .open = on_tree<SpeechCommandsOptions, open_speech_commands>},
      {.name = "stl10",
       .summary = "13 000 pictures, 96 x 96, 10 classes, and 100 000 without labels",
       .source = "cs.stanford.edu/~acoates/stl10, the binary version",
       .folders = {"stl10_binary"},
       .archives = {"stl10_binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 5'000, .test = 8'000},
       .recognise = is_stl10,
       .signature = "train_X.bin and test_X.bin",
       .layout = Stl10Options{},
       .open = on_tree<Stl10Options, open_stl10>},
      {.name = "tiny-imagenet",
       .summary = "110 000 pictures, 64 x 64, 200 classes",
       .source = "cs231n.stanford.edu/tiny-imagenet-200.zip",
       .folders = {"tiny-imagenet-200"},
       .archives = {"tiny-imagenet-200.zip"},
       .official = {.train = 100'000, .test = 10'000},
       .recognise = is_tiny_imagenet,
       .signature = "wnids.txt and val/val_annotations.txt",
       .open = on_plain_tree<open_tiny_imagenet>},
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
