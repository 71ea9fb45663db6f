#include "projnce/report/page/report_samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::report {

namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "lists are stored as raw memory");

constexpr const char* kSamplesFormat = "projnce-samples-1";
constexpr int64_t kMostSheets = 10'000;

template <class T>
constexpr io::StoredType kStoredAs = io::StoredType::kU8;
template <>
constexpr io::StoredType kStoredAs<float> = io::StoredType::kF32;
template <>
constexpr io::StoredType kStoredAs<int64_t> = io::StoredType::kI64;

/// A named list to write to a file. Does not copy it.
template <class T>
io::TensorBytes list_bytes(const std::string& name, const std::vector<T>& list) {
  return {name, kStoredAs<T>, {list.size()}, std::as_bytes(std::span(list))};
}

/// Reads named lists from a file.
class ListReader {
 public:
  explicit ListReader(const std::filesystem::path& file)
      : name_(file.string()),
        bytes_(io::read_regular_file(file)),
        view_(io::parse_safetensors(bytes_.span(), io::Integrity::kRequired, name_)) {}

  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& metadata() const { return view_.header.metadata; }

  template <class T>
  void read(const std::string& name, std::vector<T>& list) const {
    for (const auto& tensor : view_.header.tensors) {
      if (tensor.name != name) continue;
      if (tensor.type != kStoredAs<T>) fail(name_, ": ", name, " has an unexpected type");
      const auto bytes = view_.bytes(tensor);
      list.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
      return;
    }
    fail(name_, ": ", name, " is missing");
  }

  bool contains(const std::string& name) const {
    const auto& tensors = view_.header.tensors;
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const auto& tensor) { return tensor.name == name; });
  }

 private:
  std::string name_;
  io::FileBytes bytes_;
  io::SafetensorsView view_;
};

/// Visits the lists of mapped samples, for writing or reading.
template <class Part, class Visit>
void visit_lists(Part& part, const std::string& prefix, const Visit& visit) {
  visit(prefix + "positions", part.positions);
  visit(prefix + "indices", part.indices);
  visit(prefix + "labels", part.labels);
  visit(prefix + "predicted", part.predicted);
  visit(prefix + "similarity", part.similarity);
  visit(prefix + "truth", part.truth);
  visit(prefix + "audit_score", part.audit_score);
  visit(prefix + "suggested", part.suggested);
}

template <class Sheets, class Visit>
void visit_sheets(Sheets& images, const std::string& prefix, const Visit& visit) {
  for (size_t i = 0; i < images.sheets.size(); ++i) {
    visit(prefix + "sheet." + std::to_string(i), images.sheets[i]);
  }
}

ordered_json sheets_to_json(const ThumbnailSheets& images) {
  return {{"side", images.side},
          {"columns", images.columns},
          {"per_sheet", images.per_sheet},
          {"sheets", images.sheets.size()}};
}

ThumbnailSheets sheets_from_json(const ordered_json& json, const ListReader& file) {
  const auto size = [&](const char* key) {
    const auto found = json_count(json.at(key), file.name());
    if (found > kMostSheets) fail(file.name(), ": invalid image sheets");
    return static_cast<int>(found);
  };
  ThumbnailSheets images{.side = size("side"),
                         .columns = size("columns"),
                         .per_sheet = size("per_sheet"),
                         .sheets = {}};
  images.sheets.resize(static_cast<size_t>(size("sheets")));
  const bool sizes = images.side > 0 && images.columns > 0 && images.per_sheet > 0;
  if (!images.sheets.empty() && !sizes) fail(file.name(), ": invalid image sheets");
  return images;
}

template <class Clips, class Visit>
void visit_clips(Clips& clips, const std::string& prefix, const Visit& visit) {
  for (size_t i = 0; i < clips.size(); ++i) visit(concat(prefix, i), clips[i].wav);
}

ordered_json excerpts_to_json(const std::vector<dataset::AudioExcerpt>& clips) {
  auto json = ordered_json::array();
  for (const auto& clip : clips) json.push_back({clip.seconds, clip.whole_seconds});
  return json;
}

/// Returns no clips for files of older versions, which lack them.
std::vector<dataset::AudioExcerpt> excerpts_from_json(const ordered_json& json,
                                                      const ListReader& file) {
  // Version 0.1.0 wrote "sounds".
  const bool former = json.contains("sounds");
  const auto lengths = json.value(former ? "sounds" : "clips", ordered_json::array())
                           .get<std::vector<std::array<double, 2>>>();
  if (std::ssize(lengths) > kMostSheets)
    fail(file.name(), " has ", lengths.size(), " clips, expected at most ", kMostSheets);
  std::vector<dataset::AudioExcerpt> clips;
  for (const auto& [seconds, whole] : lengths) {
    clips.push_back({.seconds = seconds, .whole_seconds = whole});
  }
  visit_clips(clips, former ? "sound." : "clip.",
              [&](const std::string& name, auto& list) { file.read(name, list); });
  return clips;
}

ordered_json samples_to_json(const MappedSamples& part) {
  return {{"total", part.total},
          {"how", part.how},
          {"names", part.names},
          {"images", sheets_to_json(part.images)}};
}

MappedSamples samples_from_json(const ordered_json& json, const std::string& prefix,
                                const ListReader& file) {
  MappedSamples part{.total = json_count(json.at("total"), file.name()), .how = json.at("how")};
  part.names = json.at("names").get<std::vector<std::string>>();
  // Version 0.1.0 wrote the key "pictures".
  part.images = sheets_from_json(json.at(json.contains("images") ? "images" : "pictures"), file);
  const auto read = [&](const std::string& name, auto& list) {
    // Version 0.1.0 wrote "suspicion".
    const bool former = name == prefix + "audit_score" && !file.contains(name);
    file.read(former ? prefix + "suspicion" : name, list);
  };
  visit_lists(part, prefix, read);
  visit_sheets(part.images, prefix, read);
  return part;
}

void check_labels(const std::vector<int64_t>& labels, size_t classes, const std::string& file) {
  for (const int64_t label : labels) {
    if (label < 0 || static_cast<size_t>(label) >= classes) {
      fail(file, " contains label ", label, ", expected 0 to ", classes - 1);
    }
  }
}

void check_part(const MappedSamples& part, size_t classes, const std::string& file) {
  const auto fits = [&](const auto& list, bool may_lack, size_t each = 1) {
    if (list.size() == each * part.size() || (may_lack && list.empty())) return;
    fail(file, ": a list has ", counted(list.size(), "value"), ", expected ", each * part.size());
  };
  fits(part.positions, false, 2);
  fits(part.labels, false);
  fits(part.predicted, false);
  fits(part.similarity, false);
  fits(part.truth, true);
  fits(part.audit_score, true);
  fits(part.suggested, part.audit_score.empty());
  fits(part.names, true);
  for (const auto* labels : {&part.labels, &part.predicted, &part.truth, &part.suggested}) {
    check_labels(*labels, classes, file);
  }
}

/// Serializes everything except the lists.
ordered_json contents_to_json(const ReportSamples& samples) {
  ordered_json json{{"class_names", samples.class_names},
                    {"protocol", samples.protocol},
                    {"audit", samples.audit},
                    {"notes", samples.notes},
                    {"worst", sheets_to_json(samples.worst)},
                    {"clips", excerpts_to_json(samples.clips)}};
  if (samples.test) json["test"] = samples_to_json(*samples.test);
  if (samples.train) json["train"] = samples_to_json(*samples.train);
  return json;
}

ReportSamples contents_from_json(const ordered_json& json, const ListReader& file) {
  ReportSamples samples{.class_names = json.at("class_names").get<std::vector<std::string>>(),
                        .protocol = json.at("protocol"),
                        .audit = json.at("audit")};
  if (!samples.audit.is_object() && !samples.audit.is_null())
    fail(file.name(), " has an audit of type ", samples.audit.type_name(), ", expected an object");
  samples.notes = json.at("notes").get<std::vector<std::string>>();
  file.read("confusion", samples.confusion);
  samples.worst = sheets_from_json(json.at("worst"), file);
  visit_sheets(samples.worst, "worst.",
               [&](const std::string& name, auto& list) { file.read(name, list); });
  samples.clips = excerpts_from_json(json, file);
  if (json.contains("test")) samples.test = samples_from_json(json.at("test"), "test.", file);
  if (json.contains("train")) samples.train = samples_from_json(json.at("train"), "train.", file);
  return samples;
}

}  // namespace

void write_report_samples(const std::filesystem::path& file, const ReportSamples& samples) {
  std::vector<io::TensorBytes> lists;
  const auto add = [&](const std::string& name, const auto& list) {
    lists.push_back(list_bytes(name, list));
  };
  add("confusion", samples.confusion);
  visit_sheets(samples.worst, "worst.", add);
  visit_clips(samples.clips, "clip.", add);
  for (const auto& [part, prefix] :
       {std::pair(&samples.test, "test."), std::pair(&samples.train, "train.")}) {
    if (!*part) continue;
    visit_lists(**part, prefix, add);
    visit_sheets((*part)->images, prefix, add);
  }
  // Class names come from files and may be invalid UTF-8.
  constexpr auto kReplace = ordered_json::error_handler_t::replace;
  io::write_safetensors(file, lists,
                        {{"format", kSamplesFormat},
                         {"contents", contents_to_json(samples).dump(-1, ' ', false, kReplace)}});
}

ReportSamples read_report_samples(const std::filesystem::path& file) {
  const ListReader lists(file);
  const auto& metadata = lists.metadata();
  if (!metadata.count("format") || metadata.at("format") != kSamplesFormat ||
      !metadata.count("contents")) {
    fail(file.string(), " is not a samples file of a supported version");
  }
  ReportSamples samples;
  try {
    samples = contents_from_json(parse_ordered_json(metadata.at("contents"), lists.name()), lists);
  } catch (const nlohmann::json::exception& error) {
    fail(file.string(), " is corrupt: ", error.what());
  }
  const size_t classes = samples.class_names.size();
  if (samples.confusion.size() != classes * classes) {
    fail(file.string(), ": the confusion matrix has ", counted(samples.confusion.size(), "value"),
         ", expected ", classes, " x ", classes);
  }
  for (const auto* part : {&samples.test, &samples.train}) {
    if (*part) check_part(**part, classes, lists.name());
  }
  return samples;
}

}  // namespace projnce::report
