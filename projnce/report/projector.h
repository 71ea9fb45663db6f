#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace projnce {

/// Samples for TensorBoard's projector. A column that is empty is left out.
struct EmbeddingTable {
  std::string name = "embeddings";
  std::span<const float> embeddings;      ///< [N, D]
  size_t dimensions = 0;                  ///< D
  std::span<const int64_t> labels;        ///< [N]
  std::span<const int64_t> predictions;   ///< [N]
  std::vector<std::string> class_names;   ///< by label, or none: classes are called by number
  std::vector<std::string> sample_names;  ///< [N], any bytes
};

/// Writes `projector_config.pbtxt` into the directory, which is where TensorBoard looks for it, and
/// what it refers to into `projector/`: `tensors.tsv` and `metadata.tsv`. Each file appears whole
/// or not at all, the configuration last. Throws where lengths differ or a file cannot be written.
void write_projector(const std::filesystem::path& directory, const EmbeddingTable& table);

}  // namespace projnce
