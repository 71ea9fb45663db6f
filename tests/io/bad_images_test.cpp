#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "projnce/core/error.h"
#include "projnce/io/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

struct BadCase {
  std::string file;
  std::string expected;
};

/// The pictures of the manifest: single files to decode.
std::vector<BadCase> read_cases(const std::filesystem::path& folder) {
  std::vector<BadCase> cases;
  std::ifstream manifest(folder / "MANIFEST.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    BadCase bad;
    std::getline(fields, bad.file, '\t');
    std::getline(fields, bad.expected, '\t');
    const bool picture = bad.file.starts_with("images/") ||
                         (bad.file.starts_with("fuzz/") && !bad.file.ends_with(".wav"));
    if (picture) cases.push_back(bad);
  }
  return cases;
}

TEST(BadImages, BehaveAsTheManifestAsks) {
  const testing::ScratchDir dir;
  const auto folder = testing::unpack_bad_files(dir.path());
  if (folder.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  const auto cases = read_cases(folder);
  EXPECT_GT(cases.size(), 60U);
  for (const auto& [file, expected] : cases) {
    bool accepted = true;
    try {
      const auto image = read_image(folder / file, file);
      EXPECT_EQ(image.bytes(), size_t(image.height) * size_t(image.width) * size_t(image.channels));
      EXPECT_LE(image.bytes(), size_t{3 * kMaxImagePixels});
    } catch (const Error& error) {
      accepted = false;
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
    }
    EXPECT_TRUE(accepted || expected != "ACCEPT") << file;
    EXPECT_TRUE(!accepted || expected != "REJECT") << file;
  }
}

}  // namespace
}  // namespace projnce
