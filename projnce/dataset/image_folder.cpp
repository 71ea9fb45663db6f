#include "projnce/dataset/image_folder.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/folder_scan.h"
#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/io/image_file.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

constexpr std::array kTestFolders = {"test", "val", "valid"};
const char* const kTrainFolder = "train";

struct ClassFolder {
  std::string name;
  std::vector<std::string> files;  // below the dataset's root
};

/// Where the parts of a dataset are, below its root; "" is the root itself.
struct Layout {
  fs::path train;
  std::string test;  // "" where the training part is to be divided
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Layout find_layout(const fs::path& root) {
  const auto folders = subfolders(root);
  if (!contains(folders, kTrainFolder)) return {};
  const bool has_other_folders = std::any_of(folders.begin(), folders.end(), [](const auto& name) {
    return name != kTrainFolder &&
           std::find(kTestFolders.begin(), kTestFolders.end(), name) == kTestFolders.end();
  });
  // Cars, planes and trains: a class may be called so.
  if (has_other_folders && subfolders(root / kTrainFolder).empty()) return {};
  for (const char* test : kTestFolders) {
    if (contains(folders, test)) return {kTrainFolder, test};
  }
  return {kTrainFolder, ""};
}

std::vector<ClassFolder> scan_part(const fs::path& root, const fs::path& part) {
  std::vector<ClassFolder> classes;
  for (const auto& name : subfolders(root / part)) {
    auto files = files_below(root / part / name, image_extensions());
    for (auto& file : files) file = part / name / file;
    classes.push_back({name, std::move(files)});
  }
  return classes;
}

void check_training_classes(const std::vector<ClassFolder>& classes, const fs::path& folder) {
  const auto where = printable(folder.native());
  const Hint one_each{"put the pictures of each class into a sub-folder of its own"};
  if (classes.empty()) {
    fail(one_each, "folder ", where, " has no sub-folders, expected one for each class");
  }
  if (classes.size() == 1) {
    fail(one_each, "folder ", where, " has one class only, '", printable(classes[0].name),
         "', expected two or more");
  }
  for (const auto& [name, files] : classes) {
    if (files.empty()) {
      fail(Hint{"remove the folder or put pictures into it"}, "class folder ", where, "/",
           printable(name), " holds no picture, expected files that end in ",
           join(image_extensions()));
    }
  }
}

std::vector<std::string> printable_names(const std::vector<ClassFolder>& classes) {
  std::vector<std::string> names;
  for (const auto& folder : classes) names.push_back(printable(folder.name));
  return names;
}

/// The files of `part`, labelled by the place of their class among `classes`.
DatasetPtr make_part(const fs::path& root, const std::vector<ClassFolder>& part,
                     const std::vector<ClassFolder>& classes) {
  std::vector<ImageFolder::File> samples;
  for (const auto& [name, files] : part) {
    const auto found = std::find_if(classes.begin(), classes.end(),
                                    [&name = name](const auto& c) { return c.name == name; });
    if (found == classes.end()) {
      fail(Hint{"remove the folder, or add the class to the training part"}, "class '",
           printable(name), "' of ", printable(root.native()),
           " is in the test part but not in the training part");
    }
    for (const auto& file : files) samples.push_back({file, found - classes.begin()});
  }
  return std::make_shared<ImageFolder>(root, printable_names(classes), std::move(samples));
}

}  // namespace

ImageFolder::ImageFolder(fs::path root, std::vector<std::string> class_names,
                         std::vector<File> samples)
    : root_(std::move(root)), names_(std::move(class_names)), samples_(std::move(samples)) {}

int64_t ImageFolder::label(int64_t index) const {
  return samples_.at(static_cast<size_t>(index)).label;
}

std::string ImageFolder::sample_name(int64_t index) const {
  return printable(samples_.at(static_cast<size_t>(index)).file);
}

Sample ImageFolder::decode_part(int64_t index, const PictureNeeds& needs) const {
  return read_image(root_ / samples_.at(static_cast<size_t>(index)).file, sample_name(index),
                    needs);
}

DatasetSplit open_image_folder(const fs::path& root, const ImageFolderOptions& options) {
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) {
    fail(Hint{"give the folder that holds a sub-folder for each class"}, "there is no folder ",
         printable(root.native()));
  }
  const auto layout = find_layout(root);
  const auto classes = scan_part(root, layout.train);
  check_training_classes(classes, root / layout.train);
  const auto train = make_part(root, classes, classes);

  DatasetSplit split{train, nullptr};
  if (!layout.test.empty()) {
    split.test = make_part(root, scan_part(root, layout.test), classes);
  } else {
    auto indices = stratified_split(*train, options.test_fraction, options.seed);
    split.train = std::make_shared<SubsetDataset>(train, std::move(indices.train));
    split.test = std::make_shared<SubsetDataset>(train, std::move(indices.test));
  }
  if (split.test->size() == 0) {
    fail(Hint{"two pictures of a class are the least that can be divided"}, "folder ",
         printable((root / layout.test).native()), " has no picture to test with");
  }
  return split;
}

}  // namespace projnce
