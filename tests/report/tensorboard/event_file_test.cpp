#include "projnce/report/tensorboard/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/io/digest.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using namespace std::string_literals;
using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::names_in;
using testing::ScratchDir;

constexpr double kTime = 1700000000.5;

EventFileStart start_at(std::optional<int64_t> resumed_after = std::nullopt) {
  return {.wall_time = kTime, .host = "host", .process = 7, .resumed_after = resumed_after};
}

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Unmasks a checksum, as TensorFlow does.
uint32_t unmasked(uint64_t masked) {
  const uint32_t turned = static_cast<uint32_t>(masked) - 0xA282EAD8U;
  return turned >> 17 | turned << 15;
}

/// Returns the contents of the records; fails the test if a checksum or a length is wrong.
std::vector<std::string> records_of(std::string_view bytes) {
  std::vector<std::string> records;
  while (!bytes.empty()) {
    if (bytes.size() < 16) {
      ADD_FAILURE() << "incomplete record";
      break;
    }
    const size_t length = little_endian(bytes.substr(0, 8));
    EXPECT_EQ(unmasked(little_endian(bytes.substr(8, 4))), io::crc32c(bytes.substr(0, 8)));
    if (bytes.size() < 16 + length) {
      ADD_FAILURE() << "a record is longer than the file";
      break;
    }
    const auto data = bytes.substr(12, length);
    EXPECT_EQ(unmasked(little_endian(bytes.substr(12 + length, 4))), io::crc32c(data));
    records.emplace_back(data);
    bytes.remove_prefix(16 + length);
  }
  return records;
}

std::string event_bytes(int64_t step, const std::function<void(io::ProtoMessage&)>& rest) {
  io::ProtoMessage event;
  event.real(1, kTime).whole(2, step);
  rest(event);
  return event.bytes();
}

std::string start_event(int64_t step) {
  return event_bytes(step, [](auto& e) { e.message(7, io::ProtoMessage().whole(1, 1)); });
}

std::string scalar_event(const std::string& tag, int64_t step, float value) {
  const auto metadata =
      io::ProtoMessage().message(1, io::ProtoMessage().text(1, "scalars")).whole(4, 1);
  const auto point = io::ProtoMessage().text(1, tag).single(2, value).message(9, metadata);
  return event_bytes(step, [&](auto& e) { e.message(5, io::ProtoMessage().message(1, point)); });
}

TEST(EventFile, StartsWithVersionAndStartEvent) {
  const ScratchDir dir;
  const EventFile file(dir.path(), start_at(), make_logger());
  EXPECT_EQ(file.path(), dir / "events.out.tfevents.1700000000.host.7.0");
  EXPECT_THAT(
      records_of(contents(file.path())),
      ElementsAre(event_bytes(0, [](auto& e) { e.text(3, "brain.Event:2"); }), start_event(0)));
}

TEST(EventFile, FramesScalarsAndImages) {
  const ScratchDir dir;
  EventFile file(dir.path(), start_at(), make_logger());
  file.scalar("train/loss", 3, 0.25, kTime);
  const std::vector<uint8_t> png = {1, 0, 255};
  file.image("test/confusion", 300, png, 20, 10, kTime);
  file.flush();
  const auto image =
      io::ProtoMessage().whole(1, 10).whole(2, 20).whole(3, 3).text(4, "\x01\x00\xFF"s);
  const auto value = io::ProtoMessage().text(1, "test/confusion").message(4, image);
  const auto records = records_of(contents(file.path()));
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[2], scalar_event("train/loss", 3, 0.25F));
  EXPECT_EQ(records[3],
            event_bytes(300, [&](auto& e) { e.message(5, io::ProtoMessage().message(1, value)); }));
}

TEST(EventFile, ResumedRunWritesNewFileAndDropsLaterSteps) {
  const ScratchDir dir;
  { const EventFile first(dir.path(), start_at(), make_logger()); }
  const EventFile second(dir.path(), start_at(40), make_logger());
  EXPECT_THAT(names_in(dir.path()), ElementsAre("events.out.tfevents.1700000000.host.7.0",
                                                "events.out.tfevents.1700000000.host.7.1"));
  EXPECT_EQ(records_of(contents(second.path())).at(1), start_event(41))
      << "results at the step of the checkpoint are kept";
}

TEST(EventFile, DestructorFlushes) {
  const ScratchDir dir;
  std::filesystem::path path;
  {
    EventFile file(dir.path(), start_at(), make_logger());
    path = file.path();
    file.scalar("a", 1, 2, kTime);
    EXPECT_EQ(records_of(contents(path)).size(), 2U);
  }
  EXPECT_EQ(records_of(contents(path)).size(), 3U);
}

TEST(EventFile, SanitizesHostName) {
  const ScratchDir dir;
  auto start = start_at();
  start.host = "../a b\n";
  const EventFile file(dir.path(), start, make_logger());
  EXPECT_EQ(file.path(), dir / "events.out.tfevents.1700000000..._a_b_.7.0");
  EXPECT_THAT(error_message_of([&] { EventFile(dir / "none", start_at(), make_logger()); }),
              HasSubstr("No such file"));
}

TEST(EventFile, FullDiskLeavesNoIncompleteRecord) {
  const ScratchDir dir;
  const pid_t child = testing::start_child([&] {
    EventFile file(dir.path(), start_at(), make_logger());
    testing::limit_file_size(100);
    for (int step = 0; step < 5; ++step) {
      file.scalar("loss", step, step, kTime);
      file.flush();
    }
    if (std::filesystem::file_size(file.path()) != 100) return 1;
    testing::limit_file_size(RLIM_INFINITY);
    file.flush();
    return 0;
  });
  EXPECT_EQ(testing::wait_for(child), 0);
  const auto records = records_of(contents(dir / "events.out.tfevents.1700000000.host.7.0"));
  ASSERT_EQ(records.size(), 7U);
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(records[static_cast<size_t>(step) + 2],
              scalar_event("loss", step, static_cast<float>(step)));
  }
}

TEST(AddMetrics, TagsFollowSplitAndName) {
  const ScratchDir dir;
  EventFile file(dir.path(), start_at(), make_logger());
  const auto add = [&](const char* line) {
    add_metrics(file, nlohmann::ordered_json::parse(line), kTime);
  };
  add(R"({"step":50,"epoch":1,"split":"train","name":"step","value":{"loss":0.5,"lr":1e-3}})");
  add(R"({"step":94,"epoch":1,"split":"train","name":"epoch","value":{"loss":2}})");
  add(R"({"step":94,"epoch":1,"split":"train","name":"spike","value":{"loss":9.5}})");
  add(R"({"step":94,"epoch":1,"split":"test","name":"nearest-centroid",
          "value":{"top1":0.75,"top1_interval":[0.5,1.0],"note":"text"}})");
  auto records = records_of(contents(file.path()));
  records.erase(records.begin(), records.begin() + 2);
  EXPECT_THAT(
      records,
      ElementsAre(scalar_event("train/loss", 50, 0.5F), scalar_event("train/lr", 50, 0.001F),
                  scalar_event("train_epoch/loss", 94, 2),
                  scalar_event("train/spike/loss", 94, 9.5F),
                  scalar_event("test/nearest-centroid/top1", 94, 0.75F),
                  scalar_event("test/nearest-centroid/top1_interval/low", 94, 0.5F),
                  scalar_event("test/nearest-centroid/top1_interval/high", 94, 1)));
}

TEST(AddMetrics, NullBecomesNaN) {
  const ScratchDir dir;
  EventFile file(dir.path(), start_at(), make_logger());
  add_metrics(file,
              {{"step", 1}, {"split", "train"}, {"name", "step"}, {"value", {{"loss", nullptr}}}},
              kTime);
  EXPECT_EQ(records_of(contents(file.path())).at(2),
            scalar_event("train/loss", 1, std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
}  // namespace projnce::report
