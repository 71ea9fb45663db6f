#include "projnce/report/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <utility>

#include "projnce/io/crc32c.h"
#include "projnce/io/system_error.h"

namespace projnce {

namespace fs = std::filesystem;

namespace {

constexpr size_t kEventBuffer = size_t{1} << 16;  // bytes that wait for a flush at most

// Numbers of the fields in TensorBoard's event.proto and summary.proto.
constexpr uint32_t kEventWallTime = 1;
constexpr uint32_t kEventStep = 2;
constexpr uint32_t kEventFileVersion = 3;
constexpr uint32_t kEventSummary = 5;
constexpr uint32_t kEventSessionLog = 7;
constexpr uint32_t kSessionStatus = 1;
constexpr int64_t kSessionStart = 1;
constexpr uint32_t kSummaryValue = 1;
constexpr uint32_t kValueTag = 1;
constexpr uint32_t kValueSimple = 2;
constexpr uint32_t kValueImage = 4;
constexpr uint32_t kValueMetadata = 9;
constexpr uint32_t kMetadataPluginData = 1;
constexpr uint32_t kMetadataDataClass = 4;
constexpr int64_t kDataClassScalar = 1;
constexpr uint32_t kPluginName = 1;
constexpr uint32_t kImageHeight = 1;
constexpr uint32_t kImageWidth = 2;
constexpr uint32_t kImageColourSpace = 3;
constexpr int64_t kColourSpaceRgb = 3;
constexpr uint32_t kImageEncoded = 4;

/// The checksum as records carry it: one that is part of checked data would otherwise weaken them.
uint32_t masked_crc32c(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

/// Length, its checksum, the bytes, their checksum.
void append_record(std::string& out, std::string_view bytes) {
  std::string length;
  append_little_endian(length, uint64_t{bytes.size()});
  out += length;
  append_little_endian(out, masked_crc32c(length));
  out += bytes;
  append_little_endian(out, masked_crc32c(bytes));
}

ProtoMessage event_at(double wall_time, int64_t step) {
  return ProtoMessage().real(kEventWallTime, wall_time).whole(kEventStep, step);
}

ProtoMessage scalar_metadata() {
  return ProtoMessage()
      .message(kMetadataPluginData, ProtoMessage().text(kPluginName, "scalars"))
      .whole(kMetadataDataClass, kDataClassScalar);
}

/// A host's name as part of a file's name.
std::string host_part(std::string host) {
  for (char& c : host) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return host.empty() ? "host" : host;
}

/// A file that nobody wrote before. The number tells apart what one process starts in one second.
std::pair<fs::path, FileDescriptor> make_event_file(const fs::path& directory,
                                                    const EventFileStart& start) {
  for (int number = 0;; ++number) {
    auto path = directory / fmt::format("events.out.tfevents.{:010}.{}.{}.{}",
                                        static_cast<int64_t>(start.wall_time),
                                        host_part(start.host), start.process, number);
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return {std::move(path), std::move(file)};
    if (errno != EEXIST) fail_system(errno, "cannot write ", path.string());
  }
}

}  // namespace

double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFileStart event_file_start(std::optional<int64_t> resumed_after) {
  std::array<char, HOST_NAME_MAX + 1> host = {};
  ::gethostname(host.data(), host.size() - 1);
  return {.wall_time = wall_time_now(),
          .host = host.data(),
          .process = ::getpid(),
          .resumed_after = resumed_after};
}

EventFile::EventFile(const fs::path& directory, const EventFileStart& start, Logger logger)
    : EventFile(make_event_file(directory, start), start, std::move(logger)) {}

EventFile::EventFile(std::pair<fs::path, FileDescriptor> made, const EventFileStart& start,
                     Logger logger)
    : path_(std::move(made.first)),
      file_(std::move(made.second), 0, path_.string(), std::move(logger)) {
  add_event(event_at(start.wall_time, 0).text(kEventFileVersion, "brain.Event:2"));
  // TensorBoard takes the first START of a run for its beginning and drops, at each further one,
  // what it has of that step and later. The step of the checkpoint itself stays: results at the
  // end of an epoch carry it.
  const int64_t first = start.resumed_after ? *start.resumed_after + 1 : 0;
  add_event(event_at(start.wall_time, first)
                .message(kEventSessionLog, ProtoMessage().whole(kSessionStatus, kSessionStart)));
  flush();
}

void EventFile::scalar(const std::string& tag, int64_t step, double value, double wall_time) {
  const auto point = ProtoMessage()
                         .text(kValueTag, tag)
                         .single(kValueSimple, static_cast<float>(value))
                         .message(kValueMetadata, scalar_metadata());
  add_event(event_at(wall_time, step)
                .message(kEventSummary, ProtoMessage().message(kSummaryValue, point)));
}

void EventFile::image(const std::string& tag, int64_t step, std::span<const uint8_t> png, int width,
                      int height, double wall_time) {
  const std::string_view encoded(reinterpret_cast<const char*>(png.data()), png.size());
  const auto picture = ProtoMessage()
                           .whole(kImageHeight, height)
                           .whole(kImageWidth, width)
                           .whole(kImageColourSpace, kColourSpaceRgb)
                           .text(kImageEncoded, encoded);
  const auto value = ProtoMessage().text(kValueTag, tag).message(kValueImage, picture);
  add_event(event_at(wall_time, step)
                .message(kEventSummary, ProtoMessage().message(kSummaryValue, value)));
}

void EventFile::add_event(const ProtoMessage& event) {
  append_record(unflushed_, event.bytes());
  if (unflushed_.size() > kEventBuffer) flush();
}

void EventFile::flush() {
  file_.append(std::exchange(unflushed_, {}));
}

}  // namespace projnce
