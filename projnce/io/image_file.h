#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// Pictures with more pixels are refused before memory is taken for them.
inline constexpr int64_t kMaxImagePixels = 32'000'000;

/// How the names of picture files end, in lower case. What a file is, its content says.
const std::vector<std::string>& image_extensions();

/// Decodes a JPEG or PNG picture, told apart by content, to one channel where it is grey and three
/// where it is coloured. Transparent PNGs are laid over white; 16 bits are reduced to 8. CMYK JPEGs
/// are refused; EXIF orientation is ignored. `name` is for error messages. Throws where the picture
/// is damaged in any way, also where the decoder could have guessed the rest.
Image decode_image(std::span<const uint8_t> bytes, const std::string& name);

/// decode_image of a file. `name` is what messages call it.
Image read_image(const std::filesystem::path& path, const std::string& name);

}  // namespace projnce
