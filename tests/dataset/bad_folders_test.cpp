#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

/// Whether the folder opens. Throws what is no projnce::Error.
bool opens(const std::filesystem::path& folder) {
  Table table;
  table.values["name"] = {std::string("folder"), {}};
  table.values["root"] = {folder.native(), {}};
  try {
    const auto opened = open_dataset(table, {});
    return opened.train->size() > 0 && opened.test->size() > 0;
  } catch (const Error&) {
    return false;
  }
}

TEST(BadFolders, BehaveAsTheManifestAsks) {
  const testing::ScratchDir dir;
  const auto root = testing::unpack_bad_files(dir.path());
  if (root.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  int cases = 0;
  std::ifstream manifest(root / "MANIFEST.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    std::string folder;
    std::string expected;
    std::getline(fields, folder, '\t');
    std::getline(fields, expected, '\t');
    if (!folder.starts_with("trees/") || folder.starts_with("trees/sc_")) continue;  // sounds
    const bool opened = opens(root / folder);
    EXPECT_TRUE(opened || expected != "ACCEPT") << folder;
    EXPECT_TRUE(!opened || expected != "REJECT") << folder;
    ++cases;
  }
  EXPECT_GT(cases, 10);
}

}  // namespace
}  // namespace projnce
