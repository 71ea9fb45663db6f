#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// Pictures of all samples on one sheet, row by row.
struct Sprite {
  Image sheet;
  int side = 0;  ///< of a picture, in pixels
};

/// Joins square pictures of the same size and channels, in a grid that is about as high as wide.
/// TensorBoard takes sheets of up to 8192 x 8192 pixels; throws where this one would be larger.
Sprite make_sprite(const std::vector<Image>& pictures);

/// Samples for TensorBoard's projector. A column that is empty is left out.
struct EmbeddingTable {
  std::string name = "embeddings";
  std::span<const float> embeddings;      ///< [N, D]
  size_t dimensions = 0;                  ///< D
  std::span<const int64_t> labels;        ///< [N]
  std::span<const int64_t> predictions;   ///< [N]
  std::vector<std::string> class_names;   ///< by label, or none: classes are called by number
  std::vector<std::string> sample_names;  ///< [N], any bytes
  std::optional<Sprite> sprite = std::nullopt;
};

/// Writes `projector_config.pbtxt` into the directory, which is where TensorBoard looks for it, and
/// what it refers to into `projector/`: `tensors.tsv`, `metadata.tsv` and, where there are
/// pictures, `sprite.png`. Each file appears whole or not at all, the configuration last. Throws
/// where lengths differ or a file cannot be written.
void write_projector(const std::filesystem::path& directory, const EmbeddingTable& table);

}  // namespace projnce
