#include "projnce/dataset/checksums.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

using Candidates = std::vector<const OfficialFile*>;

/// A file that is there under an official name, and the official files of that name.
struct NamedFile {
  fs::path path;
  Candidates candidates;
};

Candidates officials_called(const std::string& name, std::span<const OfficialFile> known) {
  Candidates found;
  for (const auto& official : known) {
    if (official.name == name) found.push_back(&official);
  }
  return found;
}

/// True for what is there and no folder; what it is shows when it is opened.
bool is_there(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::exists(status) && !fs::is_directory(status);
}

std::vector<NamedFile> official_names_in(const fs::path& folder,
                                         std::span<const OfficialFile> known) {
  std::vector<NamedFile> files;
  std::set<fs::path> seen;
  for (const auto& official : known) {
    for (const auto& path : {folder / official.name, folder / official.folder / official.name}) {
      if (is_there(path) && seen.insert(path.lexically_normal()).second) {
        files.push_back({path, officials_called(official.name, known)});
      }
    }
  }
  return files;
}

std::vector<NamedFile> named_files(const fs::path& root, std::span<const OfficialFile> known) {
  std::error_code ignored;
  if (fs::is_directory(root, ignored)) return official_names_in(root, known);
  auto candidates = officials_called(root.filename().string(), known);
  if (!is_there(root) || (candidates.empty() && !is_archive_name(root))) return {};
  return {{root, std::move(candidates)}};
}

/// Those of the candidates that a file of this size can be.
Candidates of_size(const Candidates& candidates, uint64_t bytes) {
  Candidates fitting;
  for (const auto* official : candidates) {
    if (official->bytes == 0 || official->bytes == bytes) fitting.push_back(official);
  }
  return fitting;
}

std::string datasets_of(const Candidates& candidates) {
  std::vector<std::string> names;
  for (const auto* official : candidates) names.emplace_back(official->dataset);
  return join(names, " or ");
}

ChecksumVerdict other_size(const RegularFile& file, const Candidates& candidates) {
  std::vector<std::string> sizes;
  for (const auto* official : candidates) sizes.push_back(std::to_string(official->bytes));
  return {file.name, OfficialMatch::kDiffers,
          concat(file.name, " has ", file.size, " bytes, that of ", datasets_of(candidates),
                 " has ", join(sizes, " or "), ": a subset, a part or another packing")};
}

ChecksumVerdict compare_digest(const RegularFile& file, const Candidates& candidates,
                               const std::function<void(uint64_t)>& on_bytes) {
  const auto fitting = of_size(candidates, file.size);
  if (fitting.empty()) return other_size(file, candidates);
  bool official_size = false;
  for (const auto* official : fitting) {
    if (file_digest(file, official->kind, on_bytes) == official->digest) {
      return {file.name, OfficialMatch::kMatches,
              concat(file.name, " is the official file of ", official->dataset, " (",
                     digest_name(official->kind), ")")};
    }
    official_size = official_size || official->bytes == file.size;
  }
  const char* digest = digest_name(fitting.front()->kind);
  if (official_size) {
    return {file.name, OfficialMatch::kDamaged,
            concat(file.name, " has the size of the official file of ", datasets_of(fitting),
                   ", but its ", digest, " digest differs: get it again")};
  }
  return {file.name, OfficialMatch::kDiffers,
          concat(file.name, " has another ", digest, " digest than that of ", datasets_of(fitting),
                 ": a subset, damaged or another version")};
}

ChecksumVerdict judge_named_file(const NamedFile& named,
                                 const std::function<void(uint64_t)>& on_bytes) {
  const auto name = printable(named.path.native());
  if (named.candidates.empty()) {
    return {name, OfficialMatch::kUnknown, concat("no official digest is known for ", name)};
  }
  try {
    return compare_digest(open_regular_file(named.path), named.candidates, on_bytes);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    return {name, OfficialMatch::kDamaged, error.what()};
  }
}

}  // namespace

std::vector<ChecksumVerdict> check_official_files(const fs::path& root,
                                                  const std::function<void(uint64_t)>& on_bytes,
                                                  std::span<const OfficialFile> known) {
  std::vector<ChecksumVerdict> verdicts;
  for (const auto& named : named_files(root, known))
    verdicts.push_back(judge_named_file(named, on_bytes));
  return verdicts;
}

uint64_t official_bytes(const fs::path& root, std::span<const OfficialFile> known) {
  uint64_t bytes = 0;
  for (const auto& named : named_files(root, known)) {
    std::error_code error;
    const auto size = fs::file_size(named.path, error);
    if (!error) bytes += size * of_size(named.candidates, size).size();
  }
  return bytes;
}

const char* match_name(OfficialMatch match) {
  switch (match) {
    case OfficialMatch::kMatches:
      return "matches";
    case OfficialMatch::kDiffers:
      return "differs";
    case OfficialMatch::kDamaged:
      return "damaged";
    case OfficialMatch::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace projnce
