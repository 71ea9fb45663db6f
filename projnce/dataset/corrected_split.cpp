#include "projnce/dataset/corrected_split.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/split/sample_id.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

std::string name_column(const DatasetOptions& options) {
  const auto* table = std::get_if<TableOptions>(&options.layout);
  if (table == nullptr) return "sample";
  return table->columns.id.empty() ? "row" : "id";
}

/// The samples of both splits, training samples first.
CorrectedSamples describe_samples(const DatasetSplit& split, const DatasetOptions& options,
                                  const fs::path& root) {
  CorrectedSamples samples{.name = io::printable(root.native()),
                           .labels = {},
                           .class_names = split.train->class_names(),
                           .name_column = name_column(options)};
  for (const auto& part : {split.train, split.test}) {
    for (int64_t i = 0; i < part->size(); ++i) {
      samples.names.push_back(part->sample_name(i));
      samples.labels.push_back(part->class_names()[static_cast<size_t>(part->label(i))]);
    }
  }
  if (std::holds_alternative<TableOptions>(options.layout)) {
    samples.version = to_text(hash_id(io::read_regular_file(root).span()));
  } else {
    samples.version = names_and_labels_version(samples.names, samples.labels);
  }
  return samples;
}

}  // namespace

std::string names_and_labels_version(const std::vector<std::string>& names,
                                     const std::vector<std::string>& labels) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (size_t i = 0; i < names.size(); ++i) sorted.emplace_back(names[i], labels[i]);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [name, label] : sorted) {
    text.append(name).push_back('\0');
    text.append(label).push_back('\0');
  }
  return to_text(hash_id(std::string_view(text)));
}

SplitCorrections correct_training_split(DatasetSplit& split, const DatasetOptions& options,
                                        const fs::path& root) {
  if (split.unlabeled || split.reference) {
    fail("dataset.corrections needs training samples with the labels of the test split, which ",
         io::printable(root.native()), " does not have with these options");
  }
  const auto samples = describe_samples(split, options, root);
  const auto corrections = read_corrections(options.corrections, samples);
  const auto& names = samples.class_names;
  std::vector<bool> dropped(static_cast<size_t>(split.train->size()));
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < split.train->size(); ++i) labels.push_back(split.train->label(i));
  SplitCorrections counts{.train = {.kept = split.train->size()}};
  for (const auto& correction : corrections) {
    if (correction.action == CorrectionAction::kKeep) continue;
    const auto i = static_cast<size_t>(correction.row);
    if (i >= dropped.size()) {
      ++counts.test;
      continue;
    }
    --counts.train.kept;
    if (correction.action == CorrectionAction::kDrop) {
      ++counts.train.dropped;
      dropped[i] = true;
    } else {
      ++counts.train.relabeled;
      labels[i] = std::find(names.begin(), names.end(), correction.label) - names.begin();
    }
  }
  std::vector<int64_t> kept;
  std::vector<int64_t> kept_labels;
  for (size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i]) continue;
    kept.push_back(static_cast<int64_t>(i));
    kept_labels.push_back(labels[i]);
  }
  if (kept.empty()) {
    fail(options.corrections, " drops every training sample, expected one to remain");
  }
  split.train = std::make_shared<RelabeledDataset>(
      std::make_shared<SubsetDataset>(split.train, std::move(kept)), std::move(kept_labels));
  return counts;
}

}  // namespace projnce::dataset
