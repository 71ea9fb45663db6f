#include "projnce/dataset/checksums.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

using Candidates = std::vector<const OfficialFile*>;

/// A file with an official name, and the official files of that name.
struct NamedFile {
  fs::path path;
  Candidates candidates;
};

Candidates officials_named(const std::string& name, std::span<const OfficialFile> known) {
  Candidates found;
  for (const auto& official : known) {
    if (official.name == name) found.push_back(&official);
  }
  return found;
}

/// True if the path exists and is not a folder; its type is checked when it is opened.
bool is_non_folder(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::exists(status) && !fs::is_directory(status);
}

std::vector<NamedFile> find_official_names(const fs::path& folder,
                                           std::span<const OfficialFile> known) {
  std::vector<NamedFile> files;
  std::set<fs::path> seen;
  for (const auto& official : known) {
    for (const auto& path : {folder / official.name, folder / official.folder / official.name}) {
      if (is_non_folder(path) && seen.insert(path.lexically_normal()).second) {
        files.push_back({path, officials_named(official.name, known)});
      }
    }
  }
  return files;
}

std::vector<NamedFile> named_files(const fs::path& root, std::span<const OfficialFile> known) {
  std::error_code ignored;
  if (fs::is_directory(root, ignored)) return find_official_names(root, known);
  auto candidates = officials_named(root.filename().string(), known);
  if (!is_non_folder(root) || (candidates.empty() && !io::is_archive_name(root))) return {};
  return {{root, std::move(candidates)}};
}

/// Candidates whose size matches (or is unknown).
Candidates filter_by_size(const Candidates& candidates, uint64_t bytes) {
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

ChecksumVerdict size_mismatch(const io::RegularFile& file, const Candidates& candidates) {
  std::vector<std::string> sizes;
  for (const auto* official : candidates) sizes.push_back(std::to_string(official->bytes));
  return {file.name, OfficialMatch::kDiffers,
          concat(file.name, " has ", file.size, " bytes, the official file of ",
                 datasets_of(candidates), " has ", join(sizes, " or "),
                 ": a subset, a part or another archive")};
}

ChecksumVerdict compare_digest(const io::RegularFile& file, const Candidates& candidates,
                               const std::function<void(uint64_t)>& on_bytes) {
  const auto fitting = filter_by_size(candidates, file.size);
  if (fitting.empty()) return size_mismatch(file, candidates);
  bool official_size = false;
  for (const auto* official : fitting) {
    if (io::file_digest(file, official->kind, on_bytes) == official->digest) {
      return {file.name, OfficialMatch::kMatches,
              concat(file.name, " is the official file of ", official->dataset, " (",
                     io::digest_name(official->kind), ")")};
    }
    official_size = official_size || official->bytes == file.size;
  }
  const char* digest = io::digest_name(fitting.front()->kind);
  if (official_size) {
    return {file.name, OfficialMatch::kCorrupt,
            concat(file.name, " has the size of the official file of ", datasets_of(fitting),
                   ", but its ", digest, " digest differs: download it again")};
  }
  return {file.name, OfficialMatch::kDiffers,
          concat(file.name, "'s ", digest, " digest differs from the official one of ",
                 datasets_of(fitting), ": a subset, corrupt or another version")};
}

ChecksumVerdict check_named_file(const NamedFile& named,
                                 const std::function<void(uint64_t)>& on_bytes) {
  const auto name = io::printable(named.path.native());
  if (named.candidates.empty()) {
    return {name, OfficialMatch::kUnknown, concat("no official digest known for ", name)};
  }
  try {
    return compare_digest(io::open_regular_file(named.path), named.candidates, on_bytes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return {name, OfficialMatch::kCorrupt, error.what()};
  }
}

}  // namespace

std::vector<ChecksumVerdict> check_official_files(const fs::path& root,
                                                  const std::function<void(uint64_t)>& on_bytes,
                                                  std::span<const OfficialFile> known) {
  std::vector<ChecksumVerdict> verdicts;
  for (const auto& named : named_files(root, known))
    verdicts.push_back(check_named_file(named, on_bytes));
  return verdicts;
}

uint64_t official_bytes(const fs::path& root, std::span<const OfficialFile> known) {
  uint64_t bytes = 0;
  for (const auto& named : named_files(root, known)) {
    std::error_code error;
    const auto size = fs::file_size(named.path, error);
    if (!error) bytes += size * filter_by_size(named.candidates, size).size();
  }
  return bytes;
}

const char* match_name(OfficialMatch match) {
  switch (match) {
    case OfficialMatch::kMatches:
      return "matches";
    case OfficialMatch::kDiffers:
      return "differs";
    case OfficialMatch::kCorrupt:
      return "corrupt";
    case OfficialMatch::kUnknown:
      break;
  }
  return "unknown";
}

namespace {

constexpr auto kMd5 = io::DigestKind::kMd5;
constexpr auto kSha256 = io::DigestKind::kSha256;

// SHA-256 and sizes: url_checksums of TensorFlow Datasets (Speech Commands also torchaudio). MD5:
// torchvision's datasets; Tiny-ImageNet: MD5 and size of the zip as in several published loaders.
// The files of STL-10 contain 5000, 8000 and 100000 images of 27648 bytes, and one byte per label.
// GitHub's archives of ESC-50 have no fixed digest.
constexpr std::array kOfficialFiles = {
    OfficialFile{"caltech256", "256_ObjectCategories.tar", "", 0, kMd5,
                 "67b4f42ca05d46448c6bb8ecd2220f6d"},
    OfficialFile{"cifar10", "cifar-10-binary.tar.gz", "", 170052171, kSha256,
                 "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
    OfficialFile{"cifar100", "cifar-100-binary.tar.gz", "", 168513733, kSha256,
                 "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"},
    OfficialFile{"fashion-mnist", "t10k-images-idx3-ubyte.gz", "", 4422102, kSha256,
                 "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
    OfficialFile{"fashion-mnist", "t10k-labels-idx1-ubyte.gz", "", 5148, kSha256,
                 "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
    OfficialFile{"fashion-mnist", "train-images-idx3-ubyte.gz", "", 26421880, kSha256,
                 "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
    OfficialFile{"fashion-mnist", "train-labels-idx1-ubyte.gz", "", 29515, kSha256,
                 "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
    OfficialFile{"food101", "food-101.tar.gz", "", 4996278331, kSha256,
                 "d97d15e438b7f4498f96086a4f7e2fa42a32f2712e87d3295441b2b6314053a4"},
    OfficialFile{"mnist", "t10k-images-idx3-ubyte.gz", "", 1648877, kSha256,
                 "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
    OfficialFile{"mnist", "t10k-labels-idx1-ubyte.gz", "", 4542, kSha256,
                 "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
    OfficialFile{"mnist", "train-images-idx3-ubyte.gz", "", 9912422, kSha256,
                 "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
    OfficialFile{"mnist", "train-labels-idx1-ubyte.gz", "", 28881, kSha256,
                 "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
    OfficialFile{"speech-commands", "speech_commands_v0.02.tar.gz", "", 2428923189, kSha256,
                 "af14739ee7dc311471de98f5f9d2c9191b18aedfe957f4a6ff791c709868ff58"},
    OfficialFile{"stl10", "stl10_binary.tar.gz", "", 2640397119, kSha256,
                 "f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866"},
    OfficialFile{"stl10", "train_X.bin", "stl10_binary", 138240000, kMd5,
                 "918c2871b30a85fa023e0c44e0bee87f"},
    OfficialFile{"stl10", "train_y.bin", "stl10_binary", 5000, kMd5,
                 "5a34089d4802c674881badbb80307741"},
    OfficialFile{"stl10", "test_X.bin", "stl10_binary", 221184000, kMd5,
                 "7f263ba9f9e0b06b93213547f721ac82"},
    OfficialFile{"stl10", "test_y.bin", "stl10_binary", 8000, kMd5,
                 "36f9794fa4beb8a2c72628de14fa638e"},
    OfficialFile{"stl10", "unlabeled_X.bin", "stl10_binary", 2764800000, kMd5,
                 "5242ba1fed5e4be9e1e742405eb56ca4"},
    OfficialFile{"tiny-imagenet", "tiny-imagenet-200.zip", "", 248100043, kMd5,
                 "90528d7ca1a48142e341f4ef8d21d0de"},
};

}  // namespace

std::span<const OfficialFile> official_files() {
  return kOfficialFiles;
}

}  // namespace projnce::dataset
