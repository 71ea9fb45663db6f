#include "projnce/dataset/cifar10.h"

#include <memory>
#include <utility>

#include "projnce/dataset/cifar.h"
#include "projnce/dataset/layout.h"

namespace projnce {

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

/// Null where there is none. Either file tells, so that the other can be called missing.
FileTreePtr find_cifar10(const FileTreePtr& tree) {
  auto folder = find_subtree_with(tree, {kCifar10Test});
  return folder ? folder : find_subtree_with(tree, {kCifar10Train[0]});
}

}  // namespace

bool is_cifar10(const FileTreePtr& tree) {
  return find_cifar10(tree) != nullptr;
}

DatasetSplit open_cifar10(const FileTreePtr& tree, const Cifar10Options& options) {
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
    split.known = split.train;
    for (auto& label : labels) label = coarse_cifar10_label(label);
    split.train = make_cifar_dataset(train, kCifar10CoarseClasses, std::move(labels));
  }
  return split;
}

}  // namespace projnce
