#include "projnce/io/archive/archive_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "projnce/io/filesystem/regular_file.h"
#include "tests/support/archive_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::ArchiveMember;
using testing::Bytes;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Packing;
using Kind = ArchiveMember::Kind;

constexpr size_t kTarBlock = 512;
constexpr Packing kEveryPacking[] = {Packing::kTar,    Packing::kPaxTar, Packing::kTarGz,
                                     Packing::kTarBz2, Packing::kTarXz,  Packing::kTarZst,
                                     Packing::kZip};

/// Incompressible bytes.
std::string rough_text(size_t size) {
  std::string text(size, '\0');
  uint32_t state = 1;
  for (char& c : text) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return text;
}

class ArchiveTreeTest : public ::testing::Test {
 protected:
  FileTreePtr open(const Bytes& bytes, const FileTreeOptions& options = {}) {
    testing::write_file(dir_ / "some.archive", bytes);
    return open_file_tree(dir_ / "some.archive", options);
  }

  std::string error_about(const Bytes& bytes, const FileTreeOptions& options = {}) {
    return error_message_of([&] { open(bytes, options); });
  }

  testing::ScratchDir dir_;
};

std::string member_text(const FileTree& tree, const std::string& file) {
  return std::string(as_text(tree.read(file).span()));
}

/// Sets the checksum of a tar header.
void set_checksum(Bytes& tar, size_t header) {
  std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(header) + 148, 8, ' ');
  int sum = 0;
  for (size_t i = 0; i < kTarBlock; ++i) sum += tar[header + i];
  std::snprintf(reinterpret_cast<char*>(tar.data()) + header + 148, 8, "%06o", sum);
}

TEST_F(ArchiveTreeTest, SkipsNamesThatEscapeTheArchiveAndReportsThem) {
  for (const auto packing : kEveryPacking) {
    const auto tree = open(testing::pack(packing, {{"../up", "x"},
                                                   {"/absolute", "x"},
                                                   {"a/../../up", "x"},
                                                   {"./ok/1", "1"},
                                                   {"ok//./2", "2"}}));
    EXPECT_THAT(tree->files_below("", {}), ElementsAre("ok/1", "ok/2"));
    EXPECT_EQ(member_text(*tree, "ok/2"), "2");
    EXPECT_THAT(tree->remark(), AllOf(HasSubstr("some.archive: skipped 3 entries")));
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.path().parent_path() / "up"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path()), {}), 1);
}

TEST_F(ArchiveTreeTest, SkipsSpecialFiles) {
  for (const auto packing : {Packing::kTar, Packing::kPaxTar, Packing::kTarGz}) {
    const auto tree = open(testing::pack(packing, {{"ok", "1"},
                                                   {"soft", "/etc", Kind::kSymbolicLink},
                                                   {"soft/below", "2"},
                                                   {"device", "", Kind::kDevice},
                                                   {"pipe", "", Kind::kPipe}}));
    EXPECT_THAT(tree->files_below("", {}), ElementsAre("ok", "soft/below"));
    EXPECT_THAT(tree->remark(), HasSubstr("skipped 3 links, devices or pipes"));
  }
}

TEST_F(ArchiveTreeTest, ResolvesHardLinksWithinTheArchive) {
  for (const auto packing : {Packing::kTar, Packing::kPaxTar, Packing::kTarGz}) {
    const auto tree = open(testing::pack(packing, {{"later", "./b", Kind::kHardLink},
                                                   {"a", "one"},
                                                   {"b", "two"},
                                                   {"again", "a", Kind::kHardLink},
                                                   {"chain", "again", Kind::kHardLink},
                                                   {"outside", "/etc/passwd", Kind::kHardLink},
                                                   {"up", "../a", Kind::kHardLink},
                                                   {"missing", "none", Kind::kHardLink},
                                                   {"round", "trip", Kind::kHardLink},
                                                   {"trip", "round", Kind::kHardLink}}));
    EXPECT_THAT(tree->files_below("", {}), ElementsAre("a", "again", "b", "chain", "later"));
    EXPECT_EQ(member_text(*tree, "again"), "one");
    EXPECT_EQ(member_text(*tree, "chain"), "one");
    EXPECT_EQ(member_text(*tree, "later"), "two");
    EXPECT_THAT(tree->remark(), HasSubstr("skipped 5 links"));
  }
}

TEST_F(ArchiveTreeTest, LastEntryOfADuplicateNameWins) {
  for (const auto packing : {Packing::kTar, Packing::kTarGz, Packing::kZip}) {
    const auto tree = open(testing::pack(packing, {{"a", "old"}, {"b", "x"}, {"./a", "newer"}}));
    EXPECT_THAT(tree->files_below("", {}), ElementsAre("a", "b"));
    EXPECT_EQ(member_text(*tree, "a"), "newer");
  }
}

TEST_F(ArchiveTreeTest, ListsEmptyFolders) {
  for (const auto packing : kEveryPacking) {
    const auto tree = open(testing::pack(
        packing, {{"./", "", Kind::kFolder}, {"a/empty/", "", Kind::kFolder}, {"b", "x"}}));
    EXPECT_TRUE(tree->has_folder("a/empty"));
    EXPECT_THAT(tree->subfolders("a"), ElementsAre("empty"));
    EXPECT_THAT(tree->subfolders("a/empty"), IsEmpty());
    EXPECT_THAT(tree->files_below("", {}), ElementsAre("b"));
    EXPECT_FALSE(tree->has_file("a/empty"));
    EXPECT_EQ(tree->remark(), "");
  }
}

TEST_F(ArchiveTreeTest, ReadsUtf8NamesOfZip) {
  auto zip = testing::pack(Packing::kZip, {{"B\u00E4r/\u65E5.txt", "1"}, {"\xFF.txt", "2"}});
  const auto mark_utf8 = [&](std::string_view header, size_t flags) {
    for (auto at = zip.begin(); at != zip.end(); ++at) {
      at = std::search(at, zip.end(), header.begin(), header.end());
      if (at == zip.end()) break;
      *(at + static_cast<std::ptrdiff_t>(flags) + 1) |= 0x08;
    }
  };
  mark_utf8("PK\x03\x04", 6);
  mark_utf8("PK\x01\x02", 8);
  const auto tree = open(zip);
  EXPECT_THAT(tree->files_below("", {}), ElementsAre("B\u00E4r/\u65E5.txt"));
  EXPECT_THAT(tree->remark(), HasSubstr("skipped 1 entry with an invalid name"));
}

TEST_F(ArchiveTreeTest, RejectsEveryTruncation) {
  const std::vector<ArchiveMember> members = {
      {"a", rough_text(3000)}, {"b/c", rough_text(700)}, {"d", rough_text(511)}};
  for (const auto packing : kEveryPacking) {
    const auto whole = testing::pack(packing, members);
    size_t end = whole.size();
    if (packing == Packing::kTar || packing == Packing::kPaxTar) {
      while (whole[end - 1] == 0) --end;  // the rest is padding and the end marker
    }
    for (size_t size = 0; size < end; size += 97) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THAT(error_about(cut), HasSubstr("some.archive"))
          << "packing " << int(packing) << " truncated at " << size << " of " << whole.size();
    }
  }
}

TEST_F(ArchiveTreeTest, RejectsTarWithoutEndMarker) {
  auto tar = testing::pack(Packing::kTar, {{"a", rough_text(1024)}, {"b", rough_text(512)}});
  tar.resize(kTarBlock + 1024);
  EXPECT_THAT(error_about(tar), HasSubstr("truncated"));
  tar.resize(tar.size() + kTarBlock);
  EXPECT_THAT(open(tar)->files_below("", {}), ElementsAre("a"));
}

TEST_F(ArchiveTreeTest, RejectsCorruptTarHeaders) {
  const auto good = testing::pack(Packing::kTar, {{"a", rough_text(512)}, {"b", "2"}});
  for (const size_t header : {size_t{0}, 2 * kTarBlock}) {
    auto bad = good;
    bad[header + 1] ^= 1;
    EXPECT_THAT(error_about(bad), HasSubstr("some.archive is ")) << header;
    EXPECT_THAT(error_about(testing::gzip(bad)), HasSubstr("some.archive is ")) << header;
  }
}

TEST_F(ArchiveTreeTest, RejectsMemberSizesBeyondTheFile) {
  const auto good = testing::pack(Packing::kTar, {{"a", rough_text(512)}});
  const std::vector<std::string> sizes = {
      "77777777777", "00000002000", std::string("\x80\0\0\0\x7F\0\0\0\0\0\0\0", 12),
      std::string("\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12),
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xF0"};
  for (const auto& size : sizes) {
    auto bad = good;
    std::copy(size.begin(), size.end(), bad.begin() + 124);
    set_checksum(bad, 0);
    bad.resize(2 * kTarBlock);
    EXPECT_THAT(error_about(bad), HasSubstr("some.archive is ")) << size;
    EXPECT_THAT(error_about(testing::gzip(bad)), HasSubstr("some.archive is ")) << size;
  }
}

TEST_F(ArchiveTreeTest, VerifiesGzipAndZipChecksums) {
  auto packed = testing::gzip(testing::pack(Packing::kTar, {{"a", "1"}}));
  packed[packed.size() - 8] ^= 1;
  EXPECT_THAT(error_about(packed),
              HasSubstr("some.archive is corrupt gzip data: incorrect data check"));

  const auto text = rough_text(600);
  auto zip = testing::pack(Packing::kZip, {{"a", text}});
  const auto body = std::search(zip.begin(), zip.end(), text.begin() + 100, text.begin() + 120,
                                [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); });
  ASSERT_NE(body, zip.end()) << "the text should be found in the archive, stored";
  *body ^= 1;
  EXPECT_THAT(error_about(zip), HasSubstr("some.archive is a corrupt archive: ZIP bad CRC"));
}

TEST_F(ArchiveTreeTest, VerifiesChecksumAfterTheEndOfTheTar) {
  auto tar = testing::pack(Packing::kTar, {{"a", "1"}});
  tar.resize(tar.size() + (size_t{1} << 20));
  auto packed = testing::gzip(tar);
  packed[packed.size() - 5] ^= 1;
  EXPECT_THAT(error_about(packed), HasSubstr("corrupt gzip data"));
}

TEST_F(ArchiveTreeTest, RejectsDecompressionBombs) {
  const std::vector<ArchiveMember> much = {{"a", std::string(size_t{70} << 20, '\0')}};
  const FileTreeOptions options{.memory_budget = 0, .spool_folder = dir_.path()};
  for (const auto packing : {Packing::kTarZst, Packing::kZip}) {
    EXPECT_THAT(error_about(testing::pack(packing, much), options),
                HasSubstr("some.archive decompresses to more than 200 times its size"));
  }
  // The same after the end of the archive, outside of any member.
  auto tar = testing::pack(Packing::kTar, {{"a", "1"}});
  tar.resize(size_t{70} << 20);
  EXPECT_THAT(error_about(testing::gzip(tar)), HasSubstr("200 times"));
}

TEST_F(ArchiveTreeTest, RejectsArchiveWithoutFiles) {
  EXPECT_THAT(error_about(Bytes(10240)), HasSubstr("some.archive contains no readable files"));
  EXPECT_THAT(error_about(testing::gzip(Bytes(10240))), HasSubstr("contains no readable files"));
  EXPECT_THAT(error_about(testing::pack(Packing::kTar, {{"../a", "x"}})),
              AllOf(HasSubstr("contains no readable files"), HasSubstr("skipped 1 entry")));
  EXPECT_THAT(error_about(testing::gzip(testing::octets_of("only text"))),
              HasSubstr("some.archive is not a readable archive"));
}

TEST_F(ArchiveTreeTest, ReportsMissingSpoolFolder) {
  const FileTreeOptions options{.memory_budget = 0, .spool_folder = dir_ / "none"};
  EXPECT_THAT(error_about(testing::pack(Packing::kTarGz, {{"a", "1"}}), options),
              AllOf(HasSubstr("some.archive"), HasSubstr("/none cannot be created")));
}

TEST_F(ArchiveTreeTest, ReportsTarTruncatedWhileOpen) {
  const auto tree = open(testing::pack(Packing::kTar, {{"a", rough_text(5000)}}));
  std::filesystem::resize_file(dir_ / "some.archive", 1000);
  EXPECT_THAT(error_message_of([&] { tree->read("a"); }), HasSubstr("some.archive was truncated"));
}

TEST_F(ArchiveTreeTest, SurvivesChangedBytes) {
  const std::vector<ArchiveMember> members = {
      {"a", rough_text(900)}, {std::string(200, 'n'), "b"}, {"c", "a", Kind::kHardLink}};
  for (const auto packing : kEveryPacking) {
    const auto good = testing::pack(packing, packing == Packing::kZip
                                                 ? std::vector(members.begin(), members.end() - 1)
                                                 : members);
    for (size_t place = 0; place < std::min<size_t>(good.size(), 4000); place += 13) {
      auto bad = good;
      bad[place] ^= static_cast<uint8_t>(1 + place % 255);
      try {
        const auto tree = open(bad);
        for (const auto& file : tree->files_below("", {})) tree->read(file);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("some.archive"));
      }
    }
  }
}

TEST(BadArchives, BehaveAsTheManifestSpecifies) {
  const testing::ScratchDir dir;
  const auto folder = testing::unpack_bad_files(dir.path());
  if (folder.empty()) GTEST_SKIP() << "../../shared/data/bad/bad.tar.gz is not on this machine";
  int cases = 0;
  for (const auto& [entry, expected] : testing::bad_cases(folder)) {
    const auto& file = entry;  // lambdas do not capture the names of a binding
    if (!file.starts_with("archives/")) continue;
    ++cases;
    const auto said = error_message_of([&] {
      const auto tree = open_file_tree(folder / file);
      for (const auto& name : tree->files_below("", {})) tree->read(name);
    });
    const bool accepted = said == "nothing was wrong";
    EXPECT_TRUE(accepted || said.find(file) != std::string::npos) << said;
    EXPECT_TRUE(!accepted || expected != "REJECT") << file;
  }
  EXPECT_GE(cases, 14);
}

}  // namespace
}  // namespace projnce::io
