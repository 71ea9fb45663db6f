#include "projnce/dataset/unread_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/foreign_formats.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

constexpr size_t kMostKindsNamed = 8;

/// ".heic" of "cat/IMG_1.HEIC"; "" without one.
std::string extension_of(const std::string& file) {
  const auto name = file.substr(file.find_last_of('/') + 1);
  const auto dot = name.find_last_of('.');
  if (dot == std::string::npos || dot == 0) return {};
  auto extension = name.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return extension;
}

std::string counted(int64_t count, const std::string& extension) {
  return extension.empty() ? concat(count, " without an extension")
                           : concat(count, " ", printable(extension));
}

/// "2 .txt, 1 .csv": the most frequent first.
std::string list_counts(std::vector<std::pair<std::string, int64_t>> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(counts.size(), kMostKindsNamed); ++i) {
    text += (i == 0 ? "" : ", ") + counted(counts[i].second, counts[i].first);
  }
  if (counts.size() > kMostKindsNamed) {
    text += concat(" and ", counts.size() - kMostKindsNamed, " more extensions");
  }
  return text;
}

}  // namespace

void UnreadFiles::add(const std::string& file) {
  auto& kind = kinds_[extension_of(file)];
  auto name = printable(file);
  if (kind.count == 0 || name < kind.first) kind.first = std::move(name);
  ++kind.count;
}

std::string UnreadFiles::advice() const {
  std::string advice;
  int64_t most = 0;
  for (const auto& [extension, kind] : kinds_) {
    const auto found = conversion_advice(extension);
    if (found.empty() || kind.count <= most) continue;
    most = kind.count;
    advice = found;
  }
  return advice;
}

std::string UnreadFiles::describe() const {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const auto& [extension, kind] : kinds_) counts.emplace_back(extension, kind.count);
  return list_counts(std::move(counts));
}

void UnreadFiles::report(DatasetSplit& split) const {
  std::vector<std::pair<std::string, int64_t>> others;
  for (const auto& [extension, kind] : kinds_) {
    split.unread_files[extension.empty() ? "" : printable(extension)] += kind.count;
    const auto advice = conversion_advice(extension);
    if (advice.empty()) {
      others.emplace_back(extension, kind.count);
      continue;
    }
    split.warnings.push_back(concat(kind.count, " ", extension,
                                    kind.count == 1 ? " file is" : " files are",
                                    " not read, such as ", kind.first, ": ", advice));
  }
  if (others.empty()) return;
  split.remarks.push_back(
      concat("files that are neither pictures nor sounds are not read: ", list_counts(others)));
}

}  // namespace projnce
