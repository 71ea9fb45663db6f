#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

struct Caltech256Options {
  bool clutter = false;   ///< if true, 257.clutter is a class
  HoldOut hold_out = {};  ///< there is no official test split
};

/// True if a folder of the tree contains folders such as 001.ak47 with files such as 001_0001.jpg.
bool is_caltech256(const io::FileTreePtr& tree);

/// Opens Caltech-256: a folder NNN.name per class, in numerical order. Throws like open_folder.
DatasetSplit open_caltech256(const io::FileTreePtr& tree, const Caltech256Options& options = {});

/// Size of an image in CIFAR-10 and CIFAR-100. Records consist of label bytes followed by the red,
/// green and blue planes of a 32 x 32 image in row-major order.
inline constexpr size_t kCifarPixelBytes = size_t{3} * 32 * 32;

/// Returns label byte `byte` of every record. Throws, naming the record, if it is not below
/// `classes`.
std::vector<int64_t> cifar_labels(const RecordFiles& records, size_t byte, size_t classes);

/// Makes a dataset of CIFAR records with the given labels. Several datasets may share the records.
DatasetPtr make_cifar_dataset(std::shared_ptr<const RecordFiles> records,
                              std::vector<std::string> class_names, std::vector<int64_t> labels);

/// Reads class names from a file; if it is missing, returns the official names and adds a remark.
std::vector<std::string> names_or_official(const io::FileTree& tree, const std::string& file,
                                           const std::vector<std::string>& official,
                                           std::vector<std::string>& remarks);

struct Cifar10Options {
  /// If true, train on two classes, vehicle and animal, and evaluate on the ten.
  bool coarse_training = false;
};

/// True if a folder of the tree contains the binary version.
bool is_cifar10(const io::FileTreePtr& tree);

/// Opens the binary version: data_batch_1.bin to data_batch_5.bin (training), test_batch.bin (test)
/// and batches.meta.txt (class names). Counts follow from the file sizes. Throws if a file is
/// missing or empty, contains an incomplete record, or has a label above 9.
DatasetSplit open_cifar10(const io::FileTreePtr& tree, const Cifar10Options& options = {});

struct Cifar100Options {
  bool coarse = false;           ///< train and evaluate on the 20 coarse classes
  bool coarse_training = false;  ///< train on the 20 coarse classes, evaluate on the 100 fine ones
};

/// True if a folder of the tree contains the binary version.
bool is_cifar100(const io::FileTreePtr& tree);

/// Opens the binary version: train.bin, test.bin, fine_label_names.txt, coarse_label_names.txt.
/// Counts follow from the file sizes. Throws if a file is missing or empty, contains an incomplete
/// record, or has a label above 19 (coarse) or 99 (fine), or if both options are set.
DatasetSplit open_cifar100(const io::FileTreePtr& tree, const Cifar100Options& options = {});

/// True if a folder of the tree contains Food-101.
bool is_food101(const io::FileTreePtr& tree);

/// Opens Food-101: images/CLASS/ID.jpg, meta/classes.txt in label order, meta/train.txt and
/// meta/test.txt with lines CLASS/ID. Listed images that do not exist are skipped with a remark.
/// Throws if a list is missing, names an unknown class or no existing image, or if an image is in
/// both lists.
DatasetSplit open_food101(const io::FileTreePtr& tree);

/// True for WordNet ids such as "n01440764", ImageNet's class names.
bool is_wnid(const std::string& name);

/// Reads class names from lines such as "n01440764 tench, Tinca tinca" (separated by a tab or a
/// space): the first name, or the WordNet id if there is none. Duplicate names get their id
/// appended.
std::vector<std::string> read_wordnet_names(const io::FileTree& tree, const std::string& file,
                                            const std::vector<std::string>& wnids);

/// True if a folder of the tree contains train and val with WordNet ids as folder names.
bool is_imagenet(const io::FileTreePtr& tree);

/// Opens the ImageNet layout: train/WNID and, as the test split, val/WNID; labels are indices of
/// the sorted WordNet ids. Class names come from LOC_synset_mapping.txt, words.txt or classes.txt
/// in the folder or its parent, if present. Throws like open_folder, and if the validation images
/// are not in class folders.
DatasetSplit open_imagenet(const io::FileTreePtr& tree);

/// True if a folder of the tree contains Tiny-ImageNet.
bool is_tiny_imagenet(const io::FileTreePtr& tree);

/// Opens Tiny-ImageNet: wnids.txt in label order, words.txt with class names, train/WNID/images,
/// and as the test split val/images with the classes in val/val_annotations.txt (the test images
/// have no labels). Throws if a class has no training images, or if an annotation is malformed or
/// names an unknown class or a missing image.
DatasetSplit open_tiny_imagenet(const io::FileTreePtr& tree);

/// The ten classes of Fashion-MNIST and of MNIST in label order.
const std::vector<std::string>& fashion_mnist_classes();
const std::vector<std::string>& mnist_classes();

/// True if a folder of the tree contains the four files.
bool is_mnist(const io::FileTreePtr& tree);

/// Opens the four IDX files of the MNIST family (train- and t10k-, images and labels), plain or
/// gzip, and keeps them in memory; counts come from the files. Throws if a file is missing, corrupt
/// or inconsistent with another.
DatasetSplit open_mnist(const io::FileTreePtr& tree, const std::vector<std::string>& class_names);

/// Images to train on.
enum class Stl10Train {
  kTrain,              ///< the labeled images
  kUnlabeled,          ///< the unlabeled images
  kTrainAndUnlabeled,  ///< both, ignoring labels
};

struct Stl10Options {
  Stl10Train train_split = Stl10Train::kTrain;
  /// Use only this fold of the labeled training images, 0 to 9; -1 = all.
  int64_t fold = -1;
};

/// True if a folder of the tree contains the binary version.
bool is_stl10(const io::FileTreePtr& tree);

/// Opens the binary version: train_X.bin, train_y.bin, test_X.bin, test_y.bin, class_names.txt and,
/// if the options require them, unlabeled_X.bin and fold_indices.txt. Images are read on demand.
/// Throws if a file is missing, contains an incomplete record, has a label outside 1 to 10, or has
/// different numbers of labels and images, and if a fold names an image that does not exist.
DatasetSplit open_stl10(const io::FileTreePtr& tree, const Stl10Options& options = {});

}  // namespace projnce::dataset
