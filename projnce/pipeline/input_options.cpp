#include "projnce/pipeline/input_options.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/loader/channel_stats.h"

namespace projnce {

namespace {

constexpr int64_t kLargestKeptSize = 96;  // squares up to this size are taken as they are
constexpr int64_t kLargestGuess = 64;     // larger pictures are reduced: a CPU has to train them
constexpr int64_t kLookedAt = 200;
const char* const kSoundSection = "input.sound";

enum class KindSetting { kAuto, kImage, kSound, kVector };

struct Looks {
  int64_t size;
  int64_t channels;
};

Looks look_at(const Dataset& dataset) {
  const int64_t count = std::min(dataset.size(), kLookedAt);
  std::vector<int64_t> sides;
  bool same_square = true;
  int64_t channels = 1;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto image = std::get<Image>(dataset.decode(i * dataset.size() / count));
      sides.push_back(std::min(image.height, image.width));
      channels = std::max<int64_t>(channels, image.channels);
      same_square = same_square && image.height == image.width && sides.back() == sides.front();
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;  // damaged: the others tell enough
    }
  }
  if (sides.empty()) fail("no picture of the dataset that was looked at can be read");
  if (same_square && sides.front() <= kLargestKeptSize) return {sides.front(), channels};
  const auto middle = sides.begin() + static_cast<ptrdiff_t>(sides.size() / 2);
  std::nth_element(sides.begin(), middle, sides.end());
  return {std::min(*middle, kLargestGuess), channels};
}

/// The keys that a resolved table has, by kind; sounds have a section of their own as well.
std::vector<std::string> fields_of(SampleKind kind) {
  if (kind == SampleKind::kImage) return {"kind", "image_size", "channels", "mean", "std"};
  if (kind == SampleKind::kVector) return {"kind", "vector_size", "mean", "std"};
  return {"kind", "mean", "std"};
}

const char* name_of(SampleKind kind) {
  if (kind == SampleKind::kImage) return "image";
  return kind == SampleKind::kSound ? "sound" : "vector";
}

void check_given_fields(const Table& table, SampleKind kind) {
  const auto fields = fields_of(kind);
  for (const auto& [key, value] : table.values) {
    if (std::find(fields.begin(), fields.end(), key) == fields.end()) {
      fail("[input] ", key, " does not apply: the data is of kind '", name_of(kind), "'");
    }
  }
  if (kind != SampleKind::kSound && table.tables.count("sound") > 0) {
    fail("[input.sound] does not apply: the data is of kind '", name_of(kind), "'");
  }
  const auto given = table.values.find("kind");
  if (given == table.values.end()) return;
  const auto* name = std::get_if<std::string>(&given->second.data);
  if (name != nullptr && *name != "auto" && *name != name_of(kind)) {
    fail("[input] kind = '", *name, "', but the data is of kind '", name_of(kind), "'");
  }
}

void look_at_pictures(InputOptions& options, const Dataset& train) {
  if (options.image_size != 0 && options.channels != 0) return;
  const auto looks = look_at(train);
  if (options.image_size == 0) options.image_size = looks.size;
  if (options.channels == 0) options.channels = looks.channels;
}

void look_at_vectors(InputOptions& options, const Dataset& train) {
  const auto first = std::get<Features>(train.decode(0));
  if (options.vector_size != 0 && options.vector_size != first.channels) {
    fail("[input] vector_size = ", options.vector_size, ", but the data has vectors of ",
         first.channels, " numbers");
  }
  options.vector_size = first.channels;
}

Value numbers(const std::vector<double>& values) {
  Value::Array array;
  for (const double number : values) array.push_back({number, {}});
  return Value{std::move(array), {}};
}

Table to_table(const InputOptions& options) {
  Table all;
  all.values["kind"] = Value{std::string(name_of(options.kind)), {}};
  all.values["image_size"] = Value{options.image_size, {}};
  all.values["channels"] = Value{options.channels, {}};
  all.values["vector_size"] = Value{options.vector_size, {}};
  all.values["mean"] = numbers(options.mean);
  all.values["std"] = numbers(options.std);
  Table table;
  for (const auto& field : fields_of(options.kind)) table.values[field] = all.values[field];
  if (options.kind == SampleKind::kSound) {
    read_mel_options(table.tables["sound"], kSoundSection, options.mel);  // writes what it is given
  }
  return table;
}

}  // namespace

InputFormat InputOptions::format() const {
  if (kind == SampleKind::kImage) {
    return InputFormat::pictures({.channels = static_cast<int>(channels),
                                  .image_size = static_cast<int>(image_size),
                                  .mean = mean,
                                  .std = std});
  }
  return {.kind = kind,
          .mel = mel,
          .vector_size = static_cast<int>(vector_size),
          .mean = mean.at(0),
          .std = std.at(0)};
}

InputShape InputOptions::shape() const {
  const auto f = format();
  return {.channels = f.channels(), .height = f.height(), .width = f.width()};
}

InputOptions read_input_options(Table& table) {
  InputOptions options;
  auto kind = KindSetting::kAuto;
  TableReader reader(table, "input");
  reader
      .choice("kind", kind,
              {{"auto", KindSetting::kAuto},
               {"image", KindSetting::kImage},
               {"sound", KindSetting::kSound},
               {"vector", KindSetting::kVector}})
      .field("image_size", options.image_size, between(0, 4096))
      .field("channels", options.channels, between(0, 3))
      .field("vector_size", options.vector_size, between(0, 1 << 24));
  options.mel = read_mel_options(reader.section("sound"), kSoundSection, options.mel);
  reader.field("mean", options.mean).field("std", options.std, above(0)).done();
  if (kind == KindSetting::kSound) options.kind = SampleKind::kSound;
  if (kind == KindSetting::kVector) options.kind = SampleKind::kVector;
  if (options.channels == 2) fail("[input] channels = 2: pictures have 1 or 3 channels");
  if (options.mean.size() != options.std.size()) {
    fail("[input] mean has ", options.mean.size(), " values and std ", options.std.size(),
         "; both need one for each channel");
  }
  return options;
}

InputOptions resolve_input(Table& table, const Dataset& train, int threads) {
  check_given_fields(table, train.kind());
  auto options = read_input_options(table);
  options.kind = train.kind();
  if (options.kind == SampleKind::kImage) look_at_pictures(options, train);
  if (options.kind == SampleKind::kVector) look_at_vectors(options, train);
  if (options.mean.empty()) {
    const auto stats =
        channel_stats(train, {.channels = static_cast<int>(options.channels), .threads = threads});
    options.mean = stats.mean;
    options.std = stats.std;
  }
  const int64_t expected = options.kind == SampleKind::kImage ? options.channels : 1;
  if (static_cast<int64_t>(options.mean.size()) != expected) {
    fail("[input] mean has ", options.mean.size(), " values for ", expected, " channels");
  }
  table = to_table(options);
  return options;
}

}  // namespace projnce
