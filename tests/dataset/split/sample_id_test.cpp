#include "projnce/dataset/split/sample_id.h"

#include <gtest/gtest.h>

#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/fake_dataset.h"

namespace projnce::dataset {
namespace {

TEST(SampleIds, FilesAreIdentifiedByContent) {
  testing::DatasetFolder folder;
  folder.write_text("a/one.png", "content");
  folder.write_text("b/two.png", "content");
  folder.write_text("b/three.png", "contents");
  folder.write_text("b/empty.png", "");
  for (const auto& tree : {folder.tree(), io::subtree(folder.packed(), "data")}) {
    EXPECT_EQ(hash_file(*tree, "a/one.png"), hash_file(*tree, "b/two.png"));
    EXPECT_NE(hash_file(*tree, "a/one.png"), hash_file(*tree, "b/three.png"));
    EXPECT_EQ(hash_file(*tree, "b/empty.png"), hash_id(std::string_view()));
  }
}

TEST(SampleIds, LargeFilesAreIdentifiedByBlocksAndSize) {
  testing::DatasetFolder folder;
  testing::Bytes bytes(3'000'001);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 2654435761U >> 24);
  folder.write("whole.wav", bytes);
  auto changed = bytes;
  changed.back() ^= 1;
  folder.write("end.wav", changed);
  changed = bytes;
  changed.front() ^= 1;
  folder.write("begin.wav", changed);
  bytes.push_back(0);
  folder.write("longer.wav", bytes);
  const auto tree = folder.tree();
  const auto id = hash_file(*tree, "whole.wav");
  EXPECT_EQ(id, hash_file(*folder.tree(), "whole.wav"));
  for (const auto* other : {"end.wav", "begin.wav", "longer.wav"}) {
    EXPECT_NE(id, hash_file(*tree, other)) << other;
  }
}

TEST(SampleIds, DecodedSamplesAreIdentifiedByValuesAndShape) {
  EXPECT_EQ(hash_id(Sample(Image{1, 2, 1, {7, 8}})), hash_id(Sample(Image{1, 2, 1, {7, 8}})));
  EXPECT_NE(hash_id(Sample(Image{1, 2, 1, {7, 8}})), hash_id(Sample(Image{2, 1, 1, {7, 8}})));
  EXPECT_NE(hash_id(Sample(Clip{8000, {1, 2}})), hash_id(Sample(Clip{4000, {1, 2}})));
  EXPECT_NE(hash_id(Sample(Features{1, 1, 2, {1, 2}})), hash_id(Sample(Features{1, 1, 2, {1, 3}})));
}

TEST(SampleIds, AreIndependentOfThreadsAndSubsets) {
  std::vector<int64_t> labels(200, 0);
  const auto dataset = testing::fake_dataset(labels, /*corrupt=*/{7});
  const auto ids = sample_ids(*dataset);
  EXPECT_EQ(sample_ids(*dataset, 3), ids);
  const SubsetDataset subset(dataset, {5, 3});
  EXPECT_EQ(subset.identity(1), ids[3]);
}

TEST(SampleIds, UnreadableAndOfficialFilesAreIdentifiedByName) {
  testing::DatasetFolder folder;
  folder.write_text("a/one.png", "content");
  const std::vector<FileDataset::File> files = {{"a/one.png", 0}, {"a/gone.png", 0}};
  const FileDataset content(folder.tree(), SampleKind::kImage, {"a"}, files);
  EXPECT_EQ(content.identity(0), hash_file(*folder.tree(), "a/one.png"));
  EXPECT_EQ(content.identity(1), hash_id(std::string_view("a/gone.png")));
  const FileDataset named(folder.tree(), SampleKind::kImage, {"a"}, files,
                          FileDataset::Identity::kName);
  EXPECT_EQ(named.identity(0), hash_id(std::string_view("a/one.png")));
}

}  // namespace
}  // namespace projnce::dataset
