#include "projnce/dataset/registry.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/dataset/readers/image_readers.h"
#include "projnce/dataset/readers/sound_readers.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

/// File tree of a dataset, and whether its layout was recognized.
struct DatasetTree {
  io::FileTreePtr tree;
  bool recognized = false;
};

/// Opens the tree at `root`. If that is a folder without the layout that contains the official
/// archive, opens the archive.
DatasetTree open_dataset_tree(const fs::path& root, const DatasetEntry& entry) {
  std::error_code ignored;
  if (!fs::exists(root, ignored)) {
    fail(Hint{"pass the folder or archive that contains the dataset"}, "there is no folder ",
         io::printable(root.native()), " and no archive of that name");
  }
  auto tree = io::open_file_tree(root);
  const bool recognized = entry.recognize != nullptr && entry.recognize(tree);
  if (entry.recognize == nullptr || !fs::is_directory(root, ignored) || recognized) {
    return {tree, recognized};
  }
  for (const auto& archive : entry.archives) {
    if (!fs::is_regular_file(root / archive, ignored)) continue;
    tree = io::open_file_tree(root / archive);
    return {tree, entry.recognize(tree)};
  }
  return {tree};
}

/// Opens a tree with `open`, a reader with these options.
template <class Options, DatasetSplit (*open)(const io::FileTreePtr&, const Options&)>
DatasetSplit open_from_tree(const DatasetEntry& entry, const fs::path& root,
                            const LayoutOptions& options) {
  const auto [tree, recognized] = open_dataset_tree(root, entry);
  auto split = open(tree, std::get<Options>(options));
  if (recognized) split.layout.reason = entry.signature;
  if (auto remark = tree->remark(); !remark.empty()) split.remarks.push_back(std::move(remark));
  return split;
}

template <DatasetSplit (*open)(const io::FileTreePtr&)>
DatasetSplit ignore_options(const io::FileTreePtr& tree, const NoLayoutOptions& /*options*/) {
  return open(tree);
}

template <DatasetSplit (*open)(const io::FileTreePtr&)>
constexpr auto open_from_tree_without_options =
    open_from_tree<NoLayoutOptions, ignore_options<open>>;

DatasetSplit open_fashion_mnist(const io::FileTreePtr& tree) {
  return open_mnist(tree, fashion_mnist_classes());
}

DatasetSplit open_digits(const io::FileTreePtr& tree) {
  return open_mnist(tree, mnist_classes());
}

DatasetSplit open_vectors(const DatasetEntry& entry, const fs::path& root,
                          const LayoutOptions& options) {
  auto split = open_embeddings(root, std::get<HoldOut>(options));
  split.layout.reason = is_embeddings_file(root) ? "the extension of the file" : entry.signature;
  return split;
}

/// The two datasets have the same file names: only the name of the location distinguishes them.
bool has_fashion_in_name(const io::FileTree& tree) {
  return tree.name().find("fashion") != std::string::npos;
}

bool is_fashion_mnist(const io::FileTreePtr& tree) {
  return is_mnist(tree) && has_fashion_in_name(*tree);
}

bool is_mnist_of_digits(const io::FileTreePtr& tree) {
  return is_mnist(tree) && !has_fashion_in_name(*tree);
}

std::vector<DatasetEntry> make_registry() {
  return {
      {.name = "caltech256",
       .summary = "30 607 images of objects, 256 classes and clutter",
       .source = "data.caltech.edu/records/nyy15-4j048",
       .folders = {"256_ObjectCategories"},
       .archives = {"256_ObjectCategories.tar"},
       .official = {.total = 29'780},
       .recognize = is_caltech256,
       .signature = "folders such as 001.ak47 with files such as 001_0001.jpg",
       .layout = Caltech256Options{},
       .open = open_from_tree<Caltech256Options, open_caltech256>},
      {.name = "cifar10",
       .summary = "60 000 color images, 32 x 32, 10 classes",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-10-batches-bin"},
       .archives = {"cifar-10-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognize = is_cifar10,
       .signature = "test_batch.bin or data_batch_1.bin",
       .layout = Cifar10Options{},
       .open = open_from_tree<Cifar10Options, open_cifar10>},
      {.name = "cifar100",
       .summary = "60 000 color images, 32 x 32, 100 classes in 20 groups",
       .source = "www.cs.toronto.edu/~kriz/cifar.html, the binary version",
       .folders = {"cifar-100-binary"},
       .archives = {"cifar-100-binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 50'000, .test = 10'000},
       .recognize = is_cifar100,
       .signature = "train.bin or test.bin next to fine_label_names.txt or coarse_label_names.txt",
       .layout = Cifar100Options{},
       .open = open_from_tree<Cifar100Options, open_cifar100>},
      {.name = "crema-d",
       .summary = "7 442 spoken sentences of 91 actors, 6 emotions",
       .source = "github.com/CheyneyComputerScience/CREMA-D",
       .folders = {"CREMA-D"},
       .archives = {"CREMA-D-master.zip"},
       .official = {.total = 7'442},
       .recognize = is_crema_d,
       .signature = "AudioWAV with files such as 1001_DFA_ANG_XX.wav",
       .layout = CremaDOptions{},
       .open = open_from_tree<CremaDOptions, open_crema_d>},
      {.name = "embeddings",
       .summary = "your own vectors and labels, .npy or safetensors",
       .source = "your own files: set root, or pass --data",
       .in_memory = true,
       .recognize = is_embeddings,
       .signature = ".npy files of vectors and of labels",
       .layout = HoldOut{},
       .open = open_vectors},
      {.name = "esc50",
       .summary = "2 000 environmental sounds of 5 seconds, 50 classes in 5 folds",
       .source = "github.com/karolpiczak/ESC-50",
       .folders = {"ESC-50-master", "ESC-50"},
       .archives = {"ESC-50-master.zip"},
       .official = {.total = 2'000},
       .recognize = is_esc50,
       .signature = "meta/esc50.csv",
       .layout = Esc50Options{},
       .open = open_from_tree<Esc50Options, open_esc50>},
      {.name = "fashion-mnist",
       .summary = "70 000 grayscale images of clothing, 28 x 28, 10 classes",
       .source =
           "Debian package dataset-fashion-mnist, or github.com/zalandoresearch/fashion-mnist",
       .system_folder = "/usr/share/datasets/fashion-mnist",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognize = is_fashion_mnist,
       .signature = "t10k-images-idx3-ubyte in a path with 'fashion' in its name",
       .open = open_from_tree_without_options<open_fashion_mnist>},
      {.name = "folder",
       .summary = "your own images or sounds, one subfolder per class",
       .source = "your own folder or archive: set root, or pass --data",
       .layout = HoldOut{},
       .open = open_from_tree<HoldOut, open_folder>},
      {.name = "food101",
       .summary = "101 000 images of dishes, 101 classes",
       .source = "data.vision.ee.ethz.ch/cvl/datasets_extra/food-101",
       .folders = {"food-101"},
       .archives = {"food-101.tar.gz"},
       .official = {.train = 75'750, .test = 25'250},
       .recognize = is_food101,
       .signature = "meta/classes.txt and meta/train.txt",
       .open = open_from_tree_without_options<open_food101>},
      {.name = "imagenet",
       .summary = "1 331 167 images of the ILSVRC challenge, 1000 classes",
       .source = "image-net.org, extracted to train/WNID and val/WNID",
       .folders = {"ILSVRC2012", "ILSVRC"},
       .official = {.train = 1'281'167, .test = 50'000},
       .recognize = is_imagenet,
       .signature = "train and val with folders such as n01440764",
       .open = open_from_tree_without_options<open_imagenet>},
      {.name = "mnist",
       .summary = "70 000 grayscale images of digits, 28 x 28, 10 classes",
       .source = "yann.lecun.com/exdb/mnist, or a mirror of its four files",
       .in_memory = true,
       .official = {.train = 60'000, .test = 10'000},
       .recognize = is_mnist_of_digits,
       .signature = "t10k-images-idx3-ubyte in a path without 'fashion' in its name",
       .open = open_from_tree_without_options<open_digits>},
      {.name = "speech-commands",
       .summary = "105 829 spoken words of one second, 35 classes",
       .source = "download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
       .folders = {"speech_commands_v0.02"},
       .archives = {"speech_commands_v0.02.tar.gz"},
       .official = {.train = 84'843},
       .recognize = is_speech_commands,
       .signature =
           "testing_list.txt and validation_list.txt name sounds of class folders, of about 1 s",
       .layout = SpeechCommandsOptions{},
       .open = open_from_tree<SpeechCommandsOptions, open_speech_commands>},
      {.name = "stl10",
       .summary = "13 000 images, 96 x 96, 10 classes, and 100 000 without labels",
       .source = "cs.stanford.edu/~acoates/stl10, the binary version",
       .folders = {"stl10_binary"},
       .archives = {"stl10_binary.tar.gz"},
       .in_memory = true,
       .official = {.train = 5'000, .test = 8'000},
       .recognize = is_stl10,
       .signature = "train_X.bin and test_X.bin",
       .layout = Stl10Options{},
       .open = open_from_tree<Stl10Options, open_stl10>},
      {.name = "tiny-imagenet",
       .summary = "110 000 images, 64 x 64, 200 classes",
       .source = "cs231n.stanford.edu/tiny-imagenet-200.zip",
       .folders = {"tiny-imagenet-200"},
       .archives = {"tiny-imagenet-200.zip"},
       .official = {.train = 100'000, .test = 10'000},
       .recognize = is_tiny_imagenet,
       .signature = "wnids.txt and val/val_annotations.txt",
       .open = open_from_tree_without_options<open_tiny_imagenet>},
  };
}

}  // namespace

const std::vector<DatasetEntry>& dataset_registry() {
  static const std::vector<DatasetEntry> kRegistry = make_registry();
  return kRegistry;
}

const DatasetEntry& dataset_entry(const std::string& name) {
  const auto& registry = dataset_registry();
  const auto found = std::find_if(registry.begin(), registry.end(),
                                  [&](const DatasetEntry& entry) { return entry.name == name; });
  if (found == registry.end()) fail_unknown("dataset", name, dataset_names());
  return *found;
}

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSplitSeed = 101;  // do not change: defines what a seed means

void remark_subset(DatasetSplit& split, int64_t found, int64_t official, const char* what) {
  if (found >= official) return;
  split.remarks.push_back(concat("a subset: ", found, " of the official ", official, " ", what));
}

void remark_subsets(DatasetSplit& split, const OfficialCounts& official) {
  const auto train = (split.reference ? split.reference : split.train)->size();
  const auto test = split.test->size();
  remark_subset(split, train, official.train, "training samples");
  remark_subset(split, test, official.test, "test samples");
  remark_subset(split, train + test, official.total, "samples");
}

/// Runs with different seeds have the same test split unless split_seed differs.
void complete_hold_out(HoldOut& options, const OpenContext& context) {
  if (options.rule != SplitRule::kHash) options.seed = derive_seed(context.seed, kSplitSeed);
  options.threads = context.threads;
  options.trained_on = context.trained_on;
}

LayoutOptions complete_options(LayoutOptions layout, const OpenContext& context) {
  if (auto* hold_out = std::get_if<HoldOut>(&layout)) complete_hold_out(*hold_out, context);
  if (auto* caltech = std::get_if<Caltech256Options>(&layout)) {
    complete_hold_out(caltech->hold_out, context);
  }
  if (auto* crema = std::get_if<CremaDOptions>(&layout)) {
    complete_hold_out(crema->hold_out, context);
  }
  return layout;
}

/// Appends the dataset's name and its official folders and archives.
void add_search_paths(const DatasetEntry& entry, const fs::path& root,
                      std::vector<fs::path>& paths) {
  paths.push_back(root / entry.name);
  for (const auto& folder : entry.folders) paths.push_back(root / folder);
  for (const auto& archive : entry.archives) paths.push_back(root / archive);
}

}  // namespace

DatasetSplit open_layout(const DatasetOptions& options, const fs::path& root,
                         const OpenContext& context) {
  const auto& entry = dataset_entry(options.name);
  auto split = entry.open(entry, root, complete_options(options.layout, context));
  if (!split.unlabeled) check_two_classes(*split.train);
  remark_subsets(split, entry.official);
  split.layout.name = options.name;
  if (options.layout_chosen) {
    split.layout.reason = concat("chosen by ", kLayoutOption);
  } else if (split.layout.reason.empty()) {
    split.layout.reason = "named by dataset.name";
  }
  return split;
}

fs::path find_dataset(const DatasetOptions& options, const OpenContext& context) {
  if (!context.root.empty()) return context.root;
  if (!options.root.empty()) return options.root;
  std::vector<std::string> tried;
  for (const auto& path : dataset_search_paths(options.name, context)) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored) || fs::is_regular_file(path, ignored)) return path;
    tried.push_back(io::printable(path.native()));
  }
  const auto where = tried.empty() ? "" : ", searched " + join(tried);
  fail(Hint{concat("set dataset.root to its folder; download: ",
                   dataset_entry(options.name).source)},
       "dataset ", options.name, " not found", where);
}

std::vector<DatasetDescription> describe_datasets() {
  std::vector<DatasetDescription> descriptions;
  for (const auto& entry : dataset_registry()) {
    descriptions.push_back({entry.name, entry.summary, entry.source});
  }
  return descriptions;
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& entry : dataset_registry()) names.push_back(entry.name);
  return names;
}

void check_layout_name(const std::string& name) {
  const auto names = dataset_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    fail_unknown("layout", io::printable(name), names);
  }
}

std::vector<fs::path> dataset_search_paths(const std::string& name, const OpenContext& context) {
  const auto& entry = dataset_entry(name);
  std::vector<fs::path> paths;
  if (!context.data_root.empty()) add_search_paths(entry, context.data_root, paths);
  if (!context.cache_home.empty()) add_search_paths(entry, context.cache_home / "projnce", paths);
  if (!entry.system_folder.empty()) paths.emplace_back(entry.system_folder);
  return paths;
}

std::optional<std::string> recognize_dataset(const fs::path& path) {
  std::error_code ignored;
  if (is_embeddings_file(path) && fs::is_regular_file(path, ignored)) return "embeddings";
  const auto tree = io::open_file_tree(path);
  for (const auto& entry : dataset_registry()) {
    if (entry.recognize != nullptr && entry.recognize(tree)) return entry.name;
  }
  return {};
}

}  // namespace projnce::dataset
