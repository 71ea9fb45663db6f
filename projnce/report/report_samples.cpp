#include "projnce/report/report_samples.h"

#include <array>
#include <cstring>
#include <map>
#include <span>

#include "projnce/core/error.h"
#include "projnce/io/regular_file.h"
#include "projnce/io/safetensors_reader.h"
#include "projnce/io/safetensors_writer.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr const char* kSamplesFormat = "projnce-samples-1";
constexpr uint64_t kMostSheets = 10'000;

template <class T>
constexpr StoredType kStoredAs = StoredType::kU8;
template <>
constexpr StoredType kStoredAs<float> = StoredType::kF32;
template <>
constexpr StoredType kStoredAs<int64_t> = StoredType::kI64;

/// Lists by name, on their way into a file. They stay the caller's.
class ListWriter {
 public:
  template <class T>
  void add(const std::string& name, const std::vector<T>& list) {
    tensors_.push_back({name, kStoredAs<T>, {list.size()}, std::as_bytes(std::span(list))});
  }
  const std::vector<TensorBytes>& tensors() const { return tensors_; }

 private:
  std::vector<TensorBytes> tensors_;
};

/// Lists by name, out of a file.
class ListReader {
 public:
  explicit ListReader(const std::filesystem::path& file)
      : name_(file.string()),
        bytes_(read_regular_file(file)),
        view_(parse_safetensors(bytes_.span(), Integrity::kRequired, name_)) {}

  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& metadata() const { return view_.header.metadata; }

  template <class T>
  void read(const std::string& name, std::vector<T>& list) const {
    for (const auto& tensor : view_.header.tensors) {
      if (tensor.name != name) continue;
      if (tensor.type != kStoredAs<T>) fail(name_, " holds ", name, " in an unexpected type");
      const auto bytes = view_.bytes(tensor);
      list.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
      return;
    }
    fail(name_, " lacks ", name);
  }

 private:
  std::string name_;
  FileBytes bytes_;
  SafetensorsView view_;
};

/// The lists of a part, one after the other: for whoever writes or reads them.
template <class Part, class Visit>
void visit_lists(Part& part, const std::string& prefix, const Visit& visit) {
  visit(prefix + "positions", part.positions);
  visit(prefix + "indices", part.indices);
  visit(prefix + "labels", part.labels);
  visit(prefix + "predicted", part.predicted);
  visit(prefix + "similarity", part.similarity);
  visit(prefix + "truth", part.truth);
  visit(prefix + "suspicion", part.suspicion);
  visit(prefix + "suggested", part.suggested);
}

template <class Sheets, class Visit>
void visit_sheets(Sheets& pictures, const std::string& prefix, const Visit& visit) {
  for (size_t i = 0; i < pictures.sheets.size(); ++i) {
    visit(prefix + "sheet." + std::to_string(i), pictures.sheets[i]);
  }
}

ordered_json tell_sheets(const ThumbnailSheets& pictures) {
  return {{"side", pictures.side},
          {"columns", pictures.columns},
          {"per_sheet", pictures.per_sheet},
          {"sheets", pictures.sheets.size()}};
}

ThumbnailSheets sheets_from(const ordered_json& told, const ListReader& file) {
  ThumbnailSheets pictures{.side = told.at("side"),
                           .columns = told.at("columns"),
                           .per_sheet = told.at("per_sheet"),
                           .sheets = {}};
  const auto count = told.at("sheets").get<uint64_t>();
  const bool sizes = pictures.side > 0 && pictures.columns > 0 && pictures.per_sheet > 0;
  if (count > kMostSheets || (count > 0 && !sizes)) {
    fail(file.name(), " tells of sheets of pictures that cannot be");
  }
  pictures.sheets.resize(count);
  return pictures;
}

template <class Clips, class Visit>
void visit_sounds(Clips& clips, const Visit& visit) {
  for (size_t i = 0; i < clips.size(); ++i) visit("sound." + std::to_string(i), clips[i].wav);
}

ordered_json tell_sounds(const std::vector<SoundClip>& clips) {
  auto told = ordered_json::array();
  for (const auto& clip : clips) told.push_back({clip.seconds, clip.whole_seconds});
  return told;
}

/// Files of earlier versions have none.
std::vector<SoundClip> sounds_from(const ordered_json& told, const ListReader& file) {
  const auto lengths =
      told.value("sounds", ordered_json::array()).get<std::vector<std::array<double, 2>>>();
  if (lengths.size() > kMostSheets) fail(file.name(), " lists ", lengths.size(), " sounds");
  std::vector<SoundClip> clips;
  for (const auto& [seconds, whole] : lengths) {
    clips.push_back({.seconds = seconds, .whole_seconds = whole});
  }
  visit_sounds(clips, [&](const std::string& name, auto& list) { file.read(name, list); });
  return clips;
}

ordered_json tell_part(const MappedSamples& part) {
  return {{"total", part.total},
          {"how", part.how},
          {"names", part.names},
          {"pictures", tell_sheets(part.pictures)}};
}

MappedSamples part_from(const ordered_json& told, const std::string& prefix,
                        const ListReader& file) {
  MappedSamples part{.total = told.at("total"), .how = told.at("how")};
  part.names = told.at("names").get<std::vector<std::string>>();
  part.pictures = sheets_from(told.at("pictures"), file);
  const auto read = [&](const std::string& name, auto& list) { file.read(name, list); };
  visit_lists(part, prefix, read);
  visit_sheets(part.pictures, prefix, read);
  return part;
}

void check_labels(const std::vector<int64_t>& labels, size_t classes, const std::string& file) {
  for (const int64_t label : labels) {
    if (label < 0 || static_cast<size_t>(label) >= classes) {
      fail(file, " holds label ", label, ", expected 0 to ", classes - 1);
    }
  }
}

void check_part(const MappedSamples& part, size_t classes, const std::string& file) {
  const auto fits = [&](const auto& list, bool may_lack, size_t each = 1) {
    if (list.size() == each * part.size() || (may_lack && list.empty())) return;
    fail(file, " holds lists of different lengths: ", list.size(), " beside ", part.size());
  };
  fits(part.positions, false, 2);
  fits(part.labels, false);
  fits(part.predicted, false);
  fits(part.similarity, false);
  fits(part.truth, true);
  fits(part.suspicion, true);
  fits(part.suggested, part.suspicion.empty());
  fits(part.names, true);
  for (const auto* labels : {&part.labels, &part.predicted, &part.truth, &part.suggested}) {
    check_labels(*labels, classes, file);
  }
}

/// Everything that is no list.
ordered_json tell_contents(const ReportSamples& samples) {
  ordered_json told{{"class_names", samples.class_names},
                    {"protocol", samples.protocol},
                    {"audit", samples.audit},
                    {"notes", samples.notes},
                    {"worst", tell_sheets(samples.worst)},
                    {"sounds", tell_sounds(samples.sounds)}};
  if (samples.test) told["test"] = tell_part(*samples.test);
  if (samples.train) told["train"] = tell_part(*samples.train);
  return told;
}

ReportSamples contents_from(const ordered_json& told, const ListReader& file) {
  ReportSamples samples{.class_names = told.at("class_names").get<std::vector<std::string>>(),
                        .protocol = told.at("protocol"),
                        .audit = told.at("audit")};
  samples.notes = told.at("notes").get<std::vector<std::string>>();
  file.read("confusion", samples.confusion);
  samples.worst = sheets_from(told.at("worst"), file);
  visit_sheets(samples.worst, "worst.",
               [&](const std::string& name, auto& list) { file.read(name, list); });
  samples.sounds = sounds_from(told, file);
  if (told.contains("test")) samples.test = part_from(told.at("test"), "test.", file);
  if (told.contains("train")) samples.train = part_from(told.at("train"), "train.", file);
  return samples;
}

}  // namespace

void write_report_samples(const std::filesystem::path& file, const ReportSamples& samples) {
  ListWriter lists;
  const auto add = [&](const std::string& name, const auto& list) { lists.add(name, list); };
  add("confusion", samples.confusion);
  visit_sheets(samples.worst, "worst.", add);
  visit_sounds(samples.sounds, add);
  for (const auto& [part, prefix] :
       {std::pair(&samples.test, "test."), std::pair(&samples.train, "train.")}) {
    if (!*part) continue;
    visit_lists(**part, prefix, add);
    visit_sheets((*part)->pictures, prefix, add);
  }
  // Names of classes come from files and may not be UTF-8.
  constexpr auto kReplace = ordered_json::error_handler_t::replace;
  write_safetensors(file, lists.tensors(),
                    {{"format", kSamplesFormat},
                     {"contents", tell_contents(samples).dump(-1, ' ', false, kReplace)}});
}

ReportSamples read_report_samples(const std::filesystem::path& file) {
  const ListReader lists(file);
  const auto& metadata = lists.metadata();
  if (!metadata.count("format") || metadata.at("format") != kSamplesFormat ||
      !metadata.count("contents")) {
    fail(file.string(), " is not a file of samples that this version reads");
  }
  ReportSamples samples;
  try {
    samples = contents_from(ordered_json::parse(metadata.at("contents")), lists);
  } catch (const nlohmann::json::exception& error) {
    fail(file.string(), " does not hold what it should: ", error.what());
  }
  const size_t classes = samples.class_names.size();
  if (samples.confusion.size() != classes * classes) {
    fail(file.string(), " holds a confusion matrix of ", samples.confusion.size(), " numbers for ",
         classes, " classes");
  }
  for (const auto* part : {&samples.test, &samples.train}) {
    if (*part) check_part(**part, classes, lists.name());
  }
  return samples;
}

}  // namespace projnce
