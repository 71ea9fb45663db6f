#include "projnce/dataset/readers/image_readers.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

const char* const kFoodClasses = "meta/classes.txt";

/// State while reading the lists.
struct FoodImages {
  std::unordered_map<std::string, int64_t> labels;  // by class name
  std::unordered_map<std::string, bool> listed;     // image without ".jpg" -> seen in a list
};

io::FileTreePtr find_food101(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {kFoodClasses, "meta/train.txt"});
}

DatasetPtr open_food_list(const io::FileTreePtr& tree, const std::string& file,
                          const std::vector<std::string>& names, FoodImages& images,
                          std::vector<std::string>& remarks) {
  const auto list = read_text_list(*tree, file);
  std::vector<FileDataset::File> samples;
  size_t missing = 0;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto& line = list.lines[i];
    if (line.empty()) continue;
    const auto label = images.labels.find(line.substr(0, line.find('/')));
    if (label == images.labels.end()) {
      fail(list.location(i), " names '", io::printable(line), "', expected a class of ",
           kFoodClasses, " and an image, such as apple_pie/1005649");
    }
    const auto image = images.listed.find(line);
    if (image == images.listed.end()) {
      ++missing;
      continue;
    }
    if (std::exchange(image->second, true)) {
      fail(list.location(i), " names the image '", io::printable(line), "', which is a duplicate");
    }
    samples.push_back({"images/" + line + ".jpg", label->second});
  }
  if (samples.empty()) fail(list.name, " names no existing image");
  if (missing > 0) {
    remarks.push_back(concat("skipped ", counted(missing, "missing image"), " of ", file));
  }
  return std::make_shared<FileDataset>(tree, SampleKind::kImage, names, std::move(samples),
                                       FileDataset::Identity::kName);
}

}  // namespace

bool is_food101(const io::FileTreePtr& tree) {
  return find_food101(tree) != nullptr;
}

DatasetSplit open_food101(const io::FileTreePtr& root) {
  const auto tree = find_food101(root);
  if (!tree) {
    fail(Hint{"pass the folder food-101 or its archive"}, root->name(), " contains no ",
         kFoodClasses, " next to train.txt");
  }
  const auto names = read_name_list(*tree, kFoodClasses);
  if (names.size() < 2)
    fail(display_path(*tree, kFoodClasses), " has one class, expected at least two");
  FoodImages images;
  for (const auto& name : names) {
    images.labels.emplace(name, static_cast<int64_t>(images.labels.size()));
  }
  for (const auto& file : tree->files_below("images", {".jpg"})) {
    images.listed.emplace(file.substr(0, file.size() - 4), false);
  }
  DatasetSplit split;
  split.train = open_food_list(tree, "meta/train.txt", names, images, split.remarks);
  split.test = open_food_list(tree, "meta/test.txt", names, images, split.remarks);
  return split;
}

}  // namespace projnce::dataset
