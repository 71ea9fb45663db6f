#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "projnce/core/error.h"
#include "projnce/io/audio/audio_file.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

bool is_image(const std::string& file) {
  return file.starts_with("images/") || (file.starts_with("fuzz/") && !file.ends_with(".wav"));
}

bool is_audio(const std::string& file) {
  return file.starts_with("audio/") || (file.starts_with("fuzz/") && file.ends_with(".wav"));
}

void check_image(const std::filesystem::path& path, const std::string& name) {
  const auto image = read_image(path, name);
  EXPECT_EQ(image.bytes(), size_t(image.height) * size_t(image.width) * size_t(image.channels));
  EXPECT_LE(image.bytes(), size_t{3 * kMaxImagePixels});
}

void check_audio(const std::filesystem::path& path, const std::string& name) {
  const auto clip = read_audio(path, name);
  EXPECT_FALSE(clip.samples.empty()) << name;
  EXPECT_LE(clip.samples.size(), 20'000U) << name;
}

using Belongs = bool (*)(const std::string& file);
using Check = void (*)(const std::filesystem::path& path, const std::string& name);

/// Reads every file of the manifest for which `belongs` holds; returns their number.
int read_bad_files(const std::filesystem::path& folder, Belongs belongs, Check check) {
  int cases = 0;
  for (const auto& [file, expected] : testing::bad_cases(folder)) {
    if (!belongs(file)) continue;
    ++cases;
    bool accepted = true;
    try {
      check(folder / file, file);
    } catch (const Error& error) {
      accepted = false;
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
    }
    EXPECT_TRUE(accepted || expected != "ACCEPT") << file;
    EXPECT_TRUE(!accepted || expected != "REJECT") << file;
  }
  return cases;
}

TEST(BadFiles, BehaveAsTheManifestSpecifies) {
  const testing::ScratchDir dir;
  const auto folder = testing::unpack_bad_files(dir.path());
  if (folder.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  EXPECT_GT(read_bad_files(folder, is_image, check_image), 60);
  EXPECT_GT(read_bad_files(folder, is_audio, check_audio), 55);
}

}  // namespace
}  // namespace projnce::io
