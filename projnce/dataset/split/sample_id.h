#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

class Dataset;

/// Identity of a sample: a 128-bit hash of its content (for a few large datasets, of its name).
/// Independent of the folder and the label of the sample.
struct SampleId {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const SampleId&) const = default;
};

struct SampleIdHash {
  size_t operator()(const SampleId& id) const { return static_cast<size_t>(id.low); }
};

using SampleIdSet = std::unordered_set<SampleId, SampleIdHash>;

SampleId hash_id(std::span<const std::byte> bytes);
SampleId hash_id(std::string_view text);

/// Hashes the decoded values of a sample and their shape.
SampleId hash_id(const Sample& sample);

/// Hashes a file of the tree: all of it up to 256 KiB, otherwise its size and 16 evenly spaced
/// blocks of 16 KiB including the first and the last, so that the bytes read per file are bounded.
/// Throws if the file cannot be read.
SampleId hash_file(const io::FileTree& tree, const std::string& file);

/// Returns the identity of every sample, computed with `threads` threads.
std::vector<SampleId> sample_ids(const Dataset& dataset, int threads = 1);

/// Formats the identity as 32 hexadecimal digits.
std::string to_text(const SampleId& id);

}  // namespace projnce::dataset
