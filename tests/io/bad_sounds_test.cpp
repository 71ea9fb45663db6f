#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "projnce/core/error.h"
#include "projnce/io/sound_file.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

struct BadSound {
  std::string file;
  std::string expected;
};

/// The sounds of the manifest: single files to decode.
std::vector<BadSound> read_sound_cases(const std::filesystem::path& folder) {
  std::vector<BadSound> cases;
  std::ifstream manifest(folder / "MANIFEST.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    BadSound bad;
    std::getline(fields, bad.file, '\t');
    std::getline(fields, bad.expected, '\t');
    const bool fuzzed = bad.file.starts_with("fuzz/") && bad.file.ends_with(".wav");
    if (bad.file.starts_with("audio/") || fuzzed) cases.push_back(bad);
  }
  return cases;
}

TEST(BadSounds, BehaveAsTheManifestAsks) {
  const testing::ScratchDir dir;
  const auto folder = testing::unpack_bad_files(dir.path());
  if (folder.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  const auto cases = read_sound_cases(folder);
  EXPECT_GT(cases.size(), 55U);
  for (const auto& [file, expected] : cases) {
    bool accepted = true;
    try {
      const auto clip = read_sound(folder / file, file);
      EXPECT_FALSE(clip.samples.empty()) << file;
      EXPECT_LE(clip.samples.size(), 20'000U) << file;
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
