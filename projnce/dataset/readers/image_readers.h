#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/record_file.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

struct Caltech256Options {
  bool clutter = false;   ///< 257.clutter is a class too
  HoldOut hold_out = {};  ///< there is no official test part
};

/// Whether a folder of the tree holds folders such as 001.ak47 with files such as 001_0001.jpg.
bool is_caltech256(const io::FileTreePtr& tree);

/// Opens Caltech-256: a folder NNN.name for each class, in the order of the numbers. Throws as a
/// folder of classes does.
DatasetSplit open_caltech256(const io::FileTreePtr& tree, const Caltech256Options& options = {});

/// What CIFAR-10 and CIFAR-100 share: records of some label bytes, then the red, green and blue
/// plane of an image of 32 x 32 pixels, row by row.
inline constexpr size_t kCifarPixelBytes = size_t{3} * 32 * 32;

/// Label byte `byte` of every record. Throws, naming the record, where one is not below `classes`.
std::vector<int64_t> cifar_labels(const RecordFiles& records, size_t byte, size_t classes);

/// Images out of CIFAR records under the labels given. Several may share the records.
DatasetPtr make_cifar_dataset(std::shared_ptr<const RecordFiles> records,
                              std::vector<std::string> class_names, std::vector<int64_t> labels);

/// The names in a file, or the official ones, with a remark, where the file is missing.
std::vector<std::string> names_or_official(const io::FileTree& tree, const std::string& file,
                                           const std::vector<std::string>& official,
                                           std::vector<std::string>& remarks);

struct Cifar10Options {
  /// Train on two classes, vehicle and animal, and judge by the ten.
  bool coarse_training = false;
};

/// True where a folder of the tree holds the binary version.
bool is_cifar10(const io::FileTreePtr& tree);

/// Opens the binary version: data_batch_1.bin to data_batch_5.bin to train on, test_batch.bin,
/// batches.meta.txt with the names. The counts come from the files' sizes. Throws where a batch is
/// missing, empty, not of whole records or has a label above 9.
DatasetSplit open_cifar10(const io::FileTreePtr& tree, const Cifar10Options& options = {});

struct Cifar100Options {
  bool coarse = false;           ///< train on and judge by the 20 coarse classes
  bool coarse_training = false;  ///< train on the 20 coarse classes, judge by the 100 fine ones
};

/// True where a folder of the tree holds the binary version.
bool is_cifar100(const io::FileTreePtr& tree);

/// Opens the binary version: train.bin, test.bin, fine_label_names.txt, coarse_label_names.txt. The
/// counts come from the files' sizes. Throws where a file is missing, empty, not of whole records
/// or has a label above 19 (coarse) or 99 (fine), and where both options are set.
DatasetSplit open_cifar100(const io::FileTreePtr& tree, const Cifar100Options& options = {});

/// True where a folder of the tree holds Food-101.
bool is_food101(const io::FileTreePtr& tree);

/// Opens Food-101: images/CLASS/ID.jpg, meta/classes.txt in the order of the labels, meta/train.txt
/// and meta/test.txt with lines CLASS/ID. Listed images that are not there are left out with a
/// remark. Throws where a list is missing, names an unknown class or leaves nothing, and where an
/// image is in both.
DatasetSplit open_food101(const io::FileTreePtr& tree);

/// True for "n01440764": how ImageNet calls its classes.
bool is_wnid(const std::string& name);

/// What classes are called, out of lines such as "n01440764 tench, Tinca tinca" (a tab or a space
/// between): the first of the names, or the wnid where the file has none for it. Classes of one
/// name have their wnids behind it.
std::vector<std::string> read_wordnet_names(const io::FileTree& tree, const std::string& file,
                                            const std::vector<std::string>& wnids);

/// True where a folder of the tree holds train and val with wnids for folders.
bool is_imagenet(const io::FileTreePtr& tree);

/// Opens the ImageNet layout: train/WNID and, as the test part, val/WNID; the labels are the places
/// of the wnids in order. Names come from LOC_synset_mapping.txt, words.txt or classes.txt, in the
/// folder or above it, where there is one. Throws as a folder of classes does, and where the
/// validation images are not sorted into classes.
DatasetSplit open_imagenet(const io::FileTreePtr& tree);

/// True where a folder of the tree holds Tiny-ImageNet.
bool is_tiny_imagenet(const io::FileTreePtr& tree);

/// Opens Tiny-ImageNet: wnids.txt in the order of the labels, words.txt for the classes' names,
/// train/WNID/images, and as the test part val/images with the classes of val/val_annotations.txt
/// (the test images have no labels). Throws where a class has no training images, or an
/// annotation is malformed, of an unknown class or of an image that is not there.
DatasetSplit open_tiny_imagenet(const io::FileTreePtr& tree);

/// The ten classes of Fashion-MNIST and of MNIST, in the order of their labels.
const std::vector<std::string>& fashion_mnist_classes();
const std::vector<std::string>& mnist_classes();

/// True where a folder of the tree holds the four files.
bool is_mnist(const io::FileTreePtr& tree);

/// Opens the four IDX files of the MNIST family (train- and t10k-, images and labels), plain or
/// gzip, and holds their bytes in memory; the counts come from the files. Throws where a file is
/// missing, damaged or contradicts another.
DatasetSplit open_mnist(const io::FileTreePtr& tree, const std::vector<std::string>& class_names);

/// Which images to train on.
enum class Stl10Train {
  kTrain,              ///< the labeled ones
  kUnlabeled,          ///< the others, without labels
  kTrainAndUnlabeled,  ///< both, without labels
};

struct Stl10Options {
  Stl10Train train_part = Stl10Train::kTrain;
  /// Take only this fold of the labeled training images, 0 to 9; -1 for all.
  int64_t fold = -1;
};

/// True where a folder of the tree holds the binary version.
bool is_stl10(const io::FileTreePtr& tree);

/// Opens the binary version: train_X.bin, train_y.bin, test_X.bin, test_y.bin, class_names.txt,
/// and, where the options ask for them, unlabeled_X.bin and fold_indices.txt. Images are read
/// when asked for. Throws where a file is missing, not of whole records, has a label that is not 1
/// to 10, or has not as many labels as images, and where a fold names an image that is not
/// there.
DatasetSplit open_stl10(const io::FileTreePtr& tree, const Stl10Options& options = {});

}  // namespace projnce::dataset
