#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <xxhash.h>

#include <chrono>
#include <random>
#include <thread>

#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/child_process.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::parse_error_of;
using testing::raw_file;
using testing::ScratchDir;

TEST(Safetensors, RoundTripsNamesShapesMetadataAndBytes) {
  const ScratchDir dir;
  const std::string small = "abc";
  const std::string large = "0123456789abcdef";
  const std::map<std::string, std::string> metadata = {{"step", "12"}, {"q\"\\\n\x01ü", "é\t"}};
  write_safetensors(dir / "a",
                    {{"small \"é\"", StoredType::kU8, {3}, bytes_of(small)},
                     {"large", StoredType::kF64, {2, 1}, bytes_of(large)},
                     {"empty", StoredType::kF32, {0, 5}, {}},
                     {"scalar", StoredType::kI64, {}, bytes_of(large).first(8)}},
                    metadata);
  const auto file = contents(dir / "a");
  const auto view = parse_safetensors(bytes_of(file), Integrity::kRequired, "a");
  EXPECT_EQ(view.header.metadata, metadata);
  const auto& tensors = view.header.tensors;
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_EQ(tensors[0].name, "small \"é\"");
  EXPECT_TRUE(std::ranges::equal(view.bytes(tensors[0]), bytes_of(small)));
  EXPECT_EQ(tensors[1].type, StoredType::kF64);
  EXPECT_THAT(tensors[1].shape, ElementsAre(2, 1));
  EXPECT_TRUE(std::ranges::equal(view.bytes(tensors[1]), bytes_of(large)));
  EXPECT_THAT(tensors[2].shape, ElementsAre(0, 5));
  EXPECT_TRUE(tensors[3].shape.empty());
}

TEST(Safetensors, AlignsEveryTensorToItsElements) {
  const ScratchDir dir;
  const std::string data(8, 'x');
  write_safetensors(dir / "a",
                    {{"one", StoredType::kU8, {1}, bytes_of(data).first(1)},
                     {"four", StoredType::kF32, {1}, bytes_of(data).first(4)},
                     {"two", StoredType::kBF16, {1}, bytes_of(data).first(2)},
                     {"eight", StoredType::kI64, {1}, bytes_of(data)}},
                    {});
  const auto file = contents(dir / "a");
  const auto view = parse_safetensors(bytes_of(file), Integrity::kRequired, "a");
  EXPECT_EQ((view.data.data() - bytes_of(file).data()) % 64, 0);
  for (const auto& tensor : view.header.tensors) {
    EXPECT_EQ(tensor.begin % stored_type_bytes(tensor.type), 0u) << tensor.name;
  }
}

TEST(Safetensors, WritesExactlyTheSpecifiedBytes) {
  const ScratchDir dir;
  const std::string data = "wxyz";
  write_safetensors(dir / "a", {{"t", StoredType::kF32, {1}, bytes_of(data)}}, {{"k", "v"}});
  std::string json =
      R"({"__metadata__":{"k":"v"},"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("~integrity":{"dtype":"U8","shape":[24],"data_offsets":[4,28]}})";
  json.resize(184, ' ');
  auto expected = raw_file(json, 0) + data;
  const auto hash = XXH3_128bits(expected.data(), expected.size());
  expected += "PNCKSUM1";
  expected.append(reinterpret_cast<const char*>(&hash.low64), 8);
  expected.append(reinterpret_cast<const char*>(&hash.high64), 8);
  EXPECT_EQ(contents(dir / "a"), expected);
}

TEST(Safetensors, ContainsOnlyTheTensorsWithoutChecksum) {
  const ScratchDir dir;
  const std::string data = "wxyz";
  write_safetensors(dir / "a", {{"t", StoredType::kF32, {1}, bytes_of(data)}}, {{"k", "v"}},
                    Checksum::kNone);
  std::string json =
      R"({"__metadata__":{"k":"v"},"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  json.resize(120, ' ');
  EXPECT_EQ(contents(dir / "a"), raw_file(json, 0) + data);
  EXPECT_EQ(parse_error_of(contents(dir / "a"), Integrity::kOptional), "nothing was wrong");
}

TEST(Safetensors, AcceptsFilesWithoutChecksumOnlyIfOptional) {
  const auto file = raw_file(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(parse_error_of(file, Integrity::kOptional), "nothing was wrong");
  EXPECT_THAT(parse_error_of(file, Integrity::kRequired),
              AllOf(HasSubstr("x.safetensors"), HasSubstr("no checksum")));
  EXPECT_EQ(parse_error_of(raw_file("{}", 0), Integrity::kOptional), "nothing was wrong");
}

TEST(Safetensors, RejectsTensorsThatItCouldNotReadBack) {
  const ScratchDir dir;
  const std::string data(8, 'x');
  const auto bytes = bytes_of(data);
  const auto writing = [&](const std::vector<TensorBytes>& tensors) {
    return error_message_of([&] { write_safetensors(dir / "a", tensors, {}); });
  };
  const TensorBytes good = {"w", StoredType::kF32, {2}, bytes};
  EXPECT_THAT(writing({good, good}), HasSubstr("tensor 'w': the name is duplicate"));
  EXPECT_THAT(writing({{"~integrity", StoredType::kU8, {8}, bytes}}),
              HasSubstr("duplicate or reserved"));
  EXPECT_THAT(writing({{"__metadata__", StoredType::kU8, {8}, bytes}}),
              HasSubstr("duplicate or reserved"));
  EXPECT_THAT(writing({{"w", StoredType::kF32, {3}, bytes}}), HasSubstr("8 bytes, expected 12"));
  EXPECT_THAT(writing({{"w", StoredType::kU8, {1, 1, 1, 1, 1, 1, 1, 1, 8}, bytes}}),
              HasSubstr("9 dimensions"));
  EXPECT_THAT(writing({{"\xff", StoredType::kU8, {8}, bytes}}), HasSubstr("not UTF-8"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Safetensors, RejectsEveryFlippedBitAndTruncation) {
  const ScratchDir dir;
  const std::string data(40, '\x5a');
  write_safetensors(
      dir / "a",
      {{"weight", StoredType::kF32, {2, 5}, bytes_of(data)}, {"empty", StoredType::kBool, {0}, {}}},
      {{"step", "7"}});
  auto file = contents(dir / "a");
  ASSERT_EQ(parse_error_of(file, Integrity::kRequired), "nothing was wrong");
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    const auto flip = static_cast<char>(1 << bit % 8);
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ flip);
    ASSERT_THAT(parse_error_of(file, Integrity::kRequired), HasSubstr("x.safetensors")) << bit;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ flip);
  }
  for (size_t size = 0; size < file.size(); ++size) {
    ASSERT_THAT(parse_error_of(file.substr(0, size), Integrity::kRequired),
                HasSubstr("x.safetensors"))
        << size;
  }
  EXPECT_THAT(parse_error_of(file + '\0', Integrity::kRequired), HasSubstr("bytes of data"));
}

/// A file whose tensor is filled with the version number.
void write_version(const std::filesystem::path& path, uint8_t version) {
  const std::string data(100000 + version * 1000u, static_cast<char>(version));
  write_safetensors(path, {{"w", StoredType::kU8, {data.size()}, bytes_of(data)}},
                    {{"version", std::to_string(version)}});
}

TEST(Safetensors, IsOldOrNewAfterAKillAtAnyTime) {
  const ScratchDir dir;
  const auto path = dir / "a.safetensors";
  write_version(path, 0);
  std::mt19937 random(3);
  for (int kill_number = 0; kill_number < 25; ++kill_number) {
    const pid_t child = testing::start_child([&]() -> int {
      for (uint8_t version = 0;; ++version) write_version(path, version);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    testing::wait_for(child);
    const auto file = contents(path);
    const auto view = parse_safetensors(bytes_of(file), Integrity::kRequired, "a");
    const auto version = std::stoul(view.header.metadata.at("version"));
    ASSERT_EQ(view.header.tensors.at(0).shape.at(0), 100000 + version * 1000);
    ASSERT_EQ(std::to_integer<unsigned>(view.bytes(view.header.tensors[0])[99999]), version);
    remove_stale_temporaries(dir.path());
  }
}

TEST(Safetensors, KeepsTheOldFileIfTheDiskIsFull) {
  const ScratchDir dir;
  const auto path = dir / "a.safetensors";
  write_version(path, 1);
  const auto old = contents(path);
  const pid_t child = testing::start_child([&] {
    testing::limit_file_size(50000);
    const auto sentence = error_message_of([&] { write_version(path, 2); });
    return sentence.find("File too large") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(testing::wait_for(child), 0);
  EXPECT_EQ(contents(path), old);
  EXPECT_TRUE(remove_stale_temporaries(dir.path()).empty());
}

}  // namespace
}  // namespace projnce::io
