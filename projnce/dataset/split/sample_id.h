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

/// Identity of a sample: a 128-bit hash of its content (of its name in a few large datasets). It
/// does not depend on the folder that the sample lies in, nor on its label.
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

/// Hashes a file of the tree: all of it up to 256 KiB, else its size and 16 blocks of 16 KiB that
/// lie evenly in it, the first and the last included. So hashing a folder reads a bounded number
/// of bytes per file. Throws if the file cannot be read.
SampleId hash_file(const io::FileTree& tree, const std::string& file);

/// The identity of every sample, computed by `threads` threads.
std::vector<SampleId> sample_ids(const Dataset& dataset, int threads = 1);

/// 32 hexadecimal digits.
std::string to_text(const SampleId& id);

}  // namespace projnce::dataset
