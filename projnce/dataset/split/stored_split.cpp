#include "projnce/dataset/split/stored_split.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::dataset {

namespace {

/// Concatenation of two datasets with the classes of the first.
class JoinedDataset : public Dataset {
 public:
  JoinedDataset(DatasetPtr first, DatasetPtr second)
      : first_(std::move(first)), second_(std::move(second)) {}

  SampleKind kind() const override { return first_->kind(); }
  int64_t size() const override { return first_->size() + second_->size(); }
  const std::vector<std::string>& class_names() const override { return first_->class_names(); }
  int64_t label(int64_t index) const override { return part(index).label(row(index)); }
  std::string sample_name(int64_t index) const override {
    return part(index).sample_name(row(index));
  }
  Sample decode(int64_t index) const override { return part(index).decode(row(index)); }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return part(index).decode_region(row(index), required);
  }
  std::string content_id(int64_t index) const override {
    return part(index).content_id(row(index));
  }
  SampleId identity(int64_t index) const override { return part(index).identity(row(index)); }

 private:
  const Dataset& part(int64_t index) const { return index < first_->size() ? *first_ : *second_; }
  int64_t row(int64_t index) const {
    return index < first_->size() ? index : index - first_->size();
  }

  DatasetPtr first_;
  DatasetPtr second_;
};

static_assert(std::endian::native == std::endian::little, "files are little-endian");

static_assert(sizeof(SampleId) == 16, "identities are written as raw memory");

constexpr const char* kSplitFormat = "projnce-split-1";

constexpr size_t kMaxSplitBytes = size_t{4}

                                  << 30;

template <class T>
io::TensorBytes as_tensor(const std::string& name, const std::vector<T>& values) {
  io::TensorBytes tensor{.name = name,
                         .type = io::StoredType::kI64,
                         .shape = {values.size()},
                         .data = std::as_bytes(std::span(values))};
  if constexpr (sizeof(T) == sizeof(SampleId)) tensor.shape.push_back(2);
  return tensor;
}

/// Reads one tensor; `T` is int64_t, or SampleId for rows of two numbers.
template <class T>
std::vector<T> read_values(const io::SafetensorsView& file, const std::string& name,
                           const std::string& origin) {
  for (const auto& tensor : file.header.tensors) {
    if (tensor.name != name) continue;
    const bool pairs = sizeof(T) == sizeof(SampleId);
    const bool fits = tensor.type == io::StoredType::kI64 &&
                      tensor.shape.size() == (pairs ? 2U : 1U) && (!pairs || tensor.shape[1] == 2);
    if (!fits) fail(origin, ": '", name, "' has the wrong shape or type for a split");
    const auto bytes = file.bytes(tensor);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  fail(origin, " has no tensor '", name, "', expected in a split");
}

StoredSplit::Samples read_samples(const io::SafetensorsView& file, const std::string& name,
                                  const std::string& origin) {
  StoredSplit::Samples samples{.ids = read_values<SampleId>(file, name + "_ids", origin),
                               .labels = read_values<int64_t>(file, name + "_labels", origin)};
  if (samples.ids.size() != samples.labels.size()) {
    fail(origin, " has ", counted(samples.ids.size(), "sample"), " and ",
         counted(samples.labels.size(), "label"), " in the ", name,
         " split, expected equal numbers");
  }
  return samples;
}

StoredSplit::Samples describe_samples(const Dataset& split) {
  return {.ids = sample_ids(split), .labels = labels_of(split)};
}

/// Unassigned samples of a split, by identity.
class SamplePool {
 public:
  SamplePool(const Dataset& split, int64_t offset) {
    for (int64_t i = split.size(); i-- > 0;) rows_[split.identity(i)].push_back(i + offset);
  }

  /// Removes and returns the first remaining sample with this identity; -1 if there is none.
  int64_t take(const SampleId& id) {
    const auto found = rows_.find(id);
    if (found == rows_.end() || found->second.empty()) return -1;
    const int64_t row = found->second.back();
    found->second.pop_back();
    return row;
  }

  std::vector<int64_t> rest() const {
    std::vector<int64_t> rest;
    for (const auto& [id, rows] : rows_) rest.insert(rest.end(), rows.begin(), rows.end());
    std::sort(rest.begin(), rest.end());
    return rest;
  }

 private:
  std::unordered_map<SampleId, std::vector<int64_t>, SampleIdHash> rows_;
};

void fill_rows(const std::vector<SampleId>& ids, SamplePool& pool, std::vector<int64_t>& rows) {
  rows.resize(ids.size(), -1);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (rows[i] < 0) rows[i] = pool.take(ids[i]);
  }
}

/// Removes rows that were not found and returns their number; `kept` receives the positions of the
/// others.
int64_t drop_missing(std::vector<int64_t>& rows, std::vector<int64_t>& kept) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) kept.push_back(static_cast<int64_t>(i));
  }
  return static_cast<int64_t>(std::erase_if(rows, [](int64_t row) { return row < 0; }));
}

int64_t count_relabeled(const Dataset& all, const std::vector<int64_t>& rows,
                        const std::vector<int64_t>& kept, const std::vector<int64_t>& labels) {
  int64_t count = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (all.label(rows[i]) != labels[static_cast<size_t>(kept[i])]) ++count;
  }
  return count;
}

}  // namespace

StoredSplit describe_split(const DatasetSplit& split, std::vector<SampleId> all) {
  StoredSplit stored{.rule = split.split_rule,
                     .class_names = split.test->class_names(),
                     .train = describe_samples(*split.train),
                     .test = describe_samples(*split.test)};
  auto used = stored.train.ids;
  used.insert(used.end(), stored.test.ids.begin(), stored.test.ids.end());
  std::sort(used.begin(), used.end());
  std::sort(all.begin(), all.end());
  std::set_difference(all.begin(), all.end(), used.begin(), used.end(),
                      std::back_inserter(stored.unused));
  return stored;
}

void write_split(const std::filesystem::path& path, const StoredSplit& split) {
  io::write_safetensors(
      path,
      {as_tensor("train_ids", split.train.ids), as_tensor("train_labels", split.train.labels),
       as_tensor("test_ids", split.test.ids), as_tensor("test_labels", split.test.labels),
       as_tensor("unused_ids", split.unused), as_tensor("seen_ids", split.seen)},
      {{"format", kSplitFormat},
       {"rule", split.rule},
       {"class_names", nlohmann::json(split.class_names).dump()}});
}

StoredSplit read_split(const std::filesystem::path& path) {
  const auto bytes = io::read_regular_file(path, kMaxSplitBytes);
  const auto origin = path.string();
  const auto file = io::parse_safetensors(bytes.span(), io::Integrity::kRequired, origin);
  const auto& metadata = file.header.metadata;
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kSplitFormat || !metadata.contains("rule") ||
      !metadata.contains("class_names")) {
    fail(origin, " is not a split saved by projnce");
  }
  const auto names = try_parse_json(metadata.at("class_names"));
  if (!names.is_array() ||
      !std::all_of(names.begin(), names.end(), [](const auto& name) { return name.is_string(); })) {
    fail(origin, " has no list of class names");
  }
  return {.rule = metadata.at("rule"),
          .class_names = names.get<std::vector<std::string>>(),
          .train = read_samples(file, "train", origin),
          .test = read_samples(file, "test", origin),
          .unused = read_values<SampleId>(file, "unused_ids", origin),
          .seen = read_values<SampleId>(file, "seen_ids", origin)};
}

std::vector<SampleId> trained_ids(const StoredSplit& split) {
  auto ids = split.train.ids;
  ids.insert(ids.end(), split.seen.begin(), split.seen.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::string test_set_fingerprint(const StoredSplit& split) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < split.test.ids.size(); ++i) {
    const auto label = static_cast<size_t>(split.test.labels[i]);
    lines.push_back(to_text(split.test.ids[i]) + " " +
                    (label < split.class_names.size() ? split.class_names[label] : ""));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return to_text(hash_id(std::string_view(text)));
}

SplitChanges apply_split(DatasetSplit& split, const StoredSplit& stored, NewSamples new_samples) {
  SamplePool train_pool(*split.train, 0);
  SamplePool test_pool(*split.test, split.train->size());
  // Match each split with itself first: an official dataset may have the same image in both.
  std::vector<int64_t> train_rows;
  std::vector<int64_t> test_rows;
  fill_rows(stored.train.ids, train_pool, train_rows);
  fill_rows(stored.test.ids, test_pool, test_rows);
  const bool one_set = split.train->class_names() == split.test->class_names();
  if (one_set) {
    fill_rows(stored.train.ids, test_pool, train_rows);
    fill_rows(stored.test.ids, train_pool, test_rows);
  }
  for (const auto& id : stored.unused) {
    if (train_pool.take(id) < 0) test_pool.take(id);
  }
  SplitChanges changes;
  std::vector<int64_t> kept_test;
  changes.gone = drop_missing(train_rows, changes.train_rows);
  changes.gone_test = drop_missing(test_rows, kept_test);
  changes.gone += changes.gone_test;
  changes.kept = static_cast<int64_t>(train_rows.size() + test_rows.size());
  const auto all = std::make_shared<JoinedDataset>(split.train, split.test);
  if (stored.class_names == split.test->class_names()) {
    changes.relabeled = count_relabeled(*all, train_rows, changes.train_rows, stored.train.labels) +
                        count_relabeled(*all, test_rows, kept_test, stored.test.labels);
  }
  const auto new_train = train_pool.rest();
  const auto new_test = test_pool.rest();
  changes.added = static_cast<int64_t>(new_train.size() + new_test.size());
  if (new_samples == NewSamples::kKeep) {
    train_rows.insert(train_rows.end(), new_train.begin(), new_train.end());
    test_rows.insert(test_rows.end(), new_test.begin(), new_test.end());
    changes.train_rows.resize(train_rows.size(), -1);
  }
  const auto select = [&](DatasetPtr& part, std::vector<int64_t> rows, int64_t offset) {
    if (!one_set) {
      for (auto& row : rows) row -= offset;
    }
    part = std::make_shared<SubsetDataset>(one_set ? DatasetPtr(all) : part, std::move(rows));
  };
  const int64_t offset = split.train->size();
  select(split.train, std::move(train_rows), 0);
  select(split.test, std::move(test_rows), offset);
  return changes;
}

}  // namespace projnce::dataset
