#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

/// Dataset layout of a folder in the manifest; "" if it is not a dataset.
std::string dataset_of(const std::string& folder) {
  if (folder.starts_with("cifar10/")) return "cifar10";
  if (folder.starts_with("cifar100/")) return "cifar100";
  if (folder.starts_with("stl10/")) return "stl10";
  if (folder.starts_with("tinyimagenet/")) return "tiny-imagenet";
  if (folder.starts_with("trees/sc_")) return "speech-commands";
  if (folder.starts_with("trees/cremad_")) return "crema-d";
  return folder.starts_with("trees/") ? "folder" : "";
}

/// Whether the folder opens and all remaining samples decode. Exceptions other than projnce::Error
/// propagate.
bool opens(const std::string& name, const std::filesystem::path& folder) {
  auto options = dataset_options(name);
  options.root = folder.native();
  try {
    const auto opened = open_dataset(options, {});
    for (const auto& part : {opened.train, opened.test}) {
      for (int64_t i = 0; i < part->size(); ++i) part->decode(i);
    }
    return opened.train->size() > 0 && opened.test->size() > 0;
  } catch (const Error&) {
    return false;
  }
}

TEST(BadFolders, BehaveAsTheManifestSpecifies) {
  const testing::ScratchDir dir;
  const auto root = testing::unpack_bad_files(dir.path());
  if (root.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  int cases = 0;
  for (const auto& [folder, expected] : testing::bad_cases(root)) {
    const auto name = dataset_of(folder);
    if (name.empty()) continue;
    const bool opened = opens(name, root / folder);
    EXPECT_TRUE(opened || expected != "ACCEPT") << folder;
    EXPECT_TRUE(!opened || expected != "REJECT") << folder;
    ++cases;
  }
  EXPECT_GT(cases, 50);
}

}  // namespace
}  // namespace projnce::dataset
