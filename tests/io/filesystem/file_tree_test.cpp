#include "projnce/io/filesystem/file_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "projnce/io/filesystem/regular_file.h"
#include "tests/support/archive_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::ArchiveMember;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Packing;

/// Tests that all kinds of trees have in common: a folder on disk and each kind of archive.
struct TreeKind {
  std::string name;
  std::optional<Packing> packing;  ///< none: a folder
};

std::ostream& operator<<(std::ostream& out, const TreeKind& kind) {
  return out << kind.name;
}

std::string text_of(const FileTree& tree, const std::string& file) {
  return std::string(as_text(tree.read(file).span()));
}

std::string long_text() {
  std::string text;
  for (uint64_t i = 0; text.size() < 1'200'000; ++i) text += std::to_string(i * i);
  return text;
}

class FileTreeTest : public ::testing::TestWithParam<TreeKind> {
 protected:
  std::filesystem::path root() const { return dir_ / "root"; }

  FileTreePtr make(const std::vector<ArchiveMember>& members, const FileTreeOptions& options = {}) {
    if (GetParam().packing) {
      testing::write_file(root(), testing::pack(*GetParam().packing, members));
    } else {
      for (const auto& member : members) {
        testing::write_file(root() / member.name, testing::octets_of(member.content));
      }
    }
    return open_file_tree(root(), options);
  }

  testing::ScratchDir dir_;
};

TEST_P(FileTreeTest, ListsFoldersAndFilesSortedBytewise) {
  const auto tree = make({{"b/2.png", "x"},
                          {"b/1.png", "x"},
                          {"a.b/deep/er/1.png", "x"},
                          {"a/1.png", "x"},
                          {"c", "x"}});
  EXPECT_EQ(tree->name(), root().string());
  EXPECT_EQ(tree->remark(), "");
  EXPECT_THAT(tree->subfolders(""), ElementsAre("a", "a.b", "b"));
  EXPECT_THAT(tree->subfolders("a.b"), ElementsAre("deep"));
  EXPECT_THAT(tree->subfolders("b"), IsEmpty());
  EXPECT_THAT(tree->files_below("", {}),
              ElementsAre("a.b/deep/er/1.png", "a/1.png", "b/1.png", "b/2.png", "c"));
  EXPECT_THAT(tree->files_below("a.b/deep", {}), ElementsAre("er/1.png"));
}

TEST_P(FileTreeTest, ExcludesHiddenNamesFromListings) {
  const auto tree = make({{"a/1.png", "x"},
                          {"a/._1.png", "x"},
                          {".git/1.png", "x"},
                          {"__MACOSX/a/1.png", "x"},
                          {"a/.DS_Store", "x"}});
  EXPECT_THAT(tree->subfolders(""), ElementsAre("a"));
  EXPECT_THAT(tree->files_below("", {}), ElementsAre("a/1.png"));
  EXPECT_TRUE(tree->has_file("a/.DS_Store"));
}

TEST_P(FileTreeTest, MatchesExtensionsIgnoringCase) {
  const auto tree = make({{"1.PNG", "x"}, {"2.jpg", "x"}, {"3.txt", "x"}, {"4jpg", "x"}});
  EXPECT_THAT(tree->files_below("", {".png", ".jpg"}), ElementsAre("1.PNG", "2.jpg"));
}

TEST_P(FileTreeTest, ReadsFilesByEquivalentNames) {
  const std::string odd = "\xFF\xE4 new\nline -";
  const std::string deep = std::string(120, 'd') + "/" + std::string(150, 'f');
  const auto tree = make({{"empty", ""}, {odd, "odd"}, {"big", long_text()}, {deep, "deep"}});
  EXPECT_THAT(tree->files_below("", {}), ElementsAre("big", deep, "empty", odd));
  EXPECT_EQ(text_of(*tree, "empty"), "");
  EXPECT_EQ(text_of(*tree, odd), "odd");
  EXPECT_EQ(text_of(*tree, deep), "deep");
  EXPECT_TRUE(text_of(*tree, "big") == long_text());
}

TEST_P(FileTreeTest, DistinguishesFilesFromFolders) {
  const auto tree = make({{"a/b/1.png", "x"}});
  EXPECT_TRUE(tree->has_file("a/b/1.png"));
  EXPECT_TRUE(tree->has_file("./a//b/1.png"));
  EXPECT_FALSE(tree->has_file("a/b"));
  EXPECT_FALSE(tree->has_file("a/b/2.png"));
  EXPECT_FALSE(tree->has_file(""));
  EXPECT_TRUE(tree->has_folder(""));
  EXPECT_TRUE(tree->has_folder("a"));
  EXPECT_TRUE(tree->has_folder("a/b"));
  EXPECT_FALSE(tree->has_folder("a/b/1.png"));
  EXPECT_FALSE(tree->has_folder("a/bb"));
}

TEST_P(FileTreeTest, ReportsMissingFilesAndFolders) {
  const auto tree = make({{"a/1.png", "x"}});
  EXPECT_THAT(error_message_of([&] { tree->read("a/none.png"); }),
              AllOf(HasSubstr(tree->name()), HasSubstr("a/none.png")));
  EXPECT_THAT(error_message_of([&] { tree->content_id("a/none.png"); }), HasSubstr("a/none.png"));
  EXPECT_THAT(error_message_of([&] { tree->subfolders("none"); }), HasSubstr("none"));
  EXPECT_THAT(error_message_of([&] { tree->files_below("none", {}); }), HasSubstr("none"));
  EXPECT_THAT(error_message_of([&] { subtree(tree, "none"); }), HasSubstr("has no folder none"));
}

TEST_P(FileTreeTest, RejectsNamesThatEscapeTheRoot) {
  testing::write_file(dir_ / "secret", testing::octets_of("x"));
  const auto tree = make({{"a/1.png", "x"}});
  for (const std::string name : {"../secret", "a/../../secret", "a/../a/1.png"}) {
    EXPECT_FALSE(tree->has_file(name)) << name;
    EXPECT_THAT(error_message_of([&] { tree->read(name); }), HasSubstr(name));
    EXPECT_THAT(error_message_of([&] { subtree(tree, "a")->read(name); }), HasSubstr(name));
  }
  const auto absolute = (dir_ / "secret").string();
  EXPECT_FALSE(tree->has_file(absolute));
  EXPECT_THAT(error_message_of([&] { tree->read(absolute); }), HasSubstr(absolute));
  EXPECT_FALSE(tree->has_folder(".."));
  EXPECT_FALSE(subtree(tree, "a")->has_file("/1.png"));
  EXPECT_FALSE(subtree(tree, "a")->has_folder(".."));
  EXPECT_NE(error_message_of([&] { subtree(tree, "a")->read("/1.png"); }), "nothing was wrong");
  EXPECT_NE(error_message_of([&] { tree->files_below("..", {}); }), "nothing was wrong");
}

TEST_P(FileTreeTest, LimitIsExact) {
  const auto tree = make({{"a", "12345"}});
  EXPECT_EQ(tree->read("a", 5).octets().size(), 5U);
  EXPECT_THAT(error_message_of([&] { tree->read("a", 4); }),
              HasSubstr("root/a has 5 bytes, expected at most 4"));
}

TEST_P(FileTreeTest, ContentIdDependsOnFileAndModificationTime) {
  const std::vector<ArchiveMember> members = {{"a", "1"}, {"b", "1"}};
  const auto tree = make(members);
  const auto before = tree->content_id("a");
  EXPECT_NE(before, tree->content_id("b"));
  EXPECT_EQ(before, open_file_tree(root())->content_id("./a"));
  const auto changed = GetParam().packing ? root() : root() / "a";
  const auto time = std::filesystem::last_write_time(changed);
  std::filesystem::last_write_time(changed, time + std::chrono::microseconds(5));
  EXPECT_NE(before, open_file_tree(root())->content_id("a"));
}

TEST_P(FileTreeTest, SubtreeBehavesLikeItsFolder) {
  const auto tree = make({{"pack/train/cat/1.png", "cat"}, {"pack/list.txt", "x"}});
  const auto pack = subtree(tree, "pack");
  EXPECT_EQ(pack->name(), tree->name() + "/pack");
  EXPECT_TRUE(pack->has_file("list.txt"));
  EXPECT_FALSE(pack->has_file("pack/list.txt"));
  EXPECT_TRUE(pack->has_folder(""));
  EXPECT_THAT(pack->subfolders(""), ElementsAre("train"));
  EXPECT_THAT(pack->files_below("train", {}), ElementsAre("cat/1.png"));
  EXPECT_EQ(text_of(*subtree(pack, "train/cat"), "1.png"), "cat");
  EXPECT_EQ(pack->content_id("list.txt"), tree->content_id("pack/list.txt"));
  EXPECT_EQ(subtree(tree, ""), tree);
}

TEST_P(FileTreeTest, ThreadsReadConcurrentlyFromMemoryAndSpool) {
  std::vector<ArchiveMember> members;
  for (int i = 0; i < 40; ++i) {
    members.push_back({std::to_string(i), std::string(100'000 + size_t(i), char('A' + i))});
  }
  for (const size_t budget : {size_t{1} << 30, size_t{2} << 20, size_t{0}}) {
    const auto tree = make(members, {.memory_budget = budget, .spool_folder = dir_.path()});
    std::vector<int> wrong(8);
    std::vector<std::thread> threads;
    for (int& errors : wrong) {
      threads.emplace_back([&] {
        for (const auto& member : members) errors += text_of(*tree, member.name) != member.content;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(8)) << budget;
  }
  // The spool file is unnamed.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path()), {}), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FileTreeTest,
    ::testing::Values(TreeKind{"folder", {}}, TreeKind{"tar", Packing::kTar},
                      TreeKind{"pax", Packing::kPaxTar}, TreeKind{"gz", Packing::kTarGz},
                      TreeKind{"bz2", Packing::kTarBz2}, TreeKind{"xz", Packing::kTarXz},
                      TreeKind{"zst", Packing::kTarZst}, TreeKind{"zip", Packing::kZip}),
    [](const auto& tree) { return tree.param.name; });

TEST(FileTree, RejectsPathsThatAreNeitherFolderNorArchive) {
  const testing::ScratchDir dir;
  testing::write_file(dir / "text.tar.gz", testing::octets_of("not packed at all"));
  EXPECT_THAT(
      error_message_of([&] { open_file_tree(dir / "text.tar.gz"); }),
      AllOf(HasSubstr("text.tar.gz is not a readable archive"), HasSubstr("expected tar, tar.gz")));
  EXPECT_THAT(error_message_of([&] { open_file_tree(dir / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(error_message_of([] { open_file_tree("/dev/zero"); }), HasSubstr("is a device"));
  testing::write_file(dir / "empty.zip", {});
  EXPECT_THAT(error_message_of([&] { open_file_tree(dir / "empty.zip"); }),
              HasSubstr("empty.zip is empty"));
}

TEST(FileTree, RecognizesArchiveNames) {
  for (const char* name :
       {"a.tar", "b/a.TAR.GZ", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.tar.zst", "a.zip"}) {
    EXPECT_TRUE(is_archive_name(name)) << name;
  }
  for (const char* name : {"a.gz", "a.npy", "tar", "a.tar.gz.part", "a.tar/b"}) {
    EXPECT_FALSE(is_archive_name(name)) << name;
  }
}

}  // namespace
}  // namespace projnce::io
