#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/core/picture_need.h"

namespace projnce {

/// Pictures with more pixels are refused before memory is taken for them.
inline constexpr int64_t kMaxImagePixels = 32'000'000;

/// How the names of picture files end, in lower case. What a file is, its content says.
const std::vector<std::string>& image_extensions();

/// Decodes a JPEG, PNG, WebP, GIF, BMP or TIFF picture, told apart by content, to one channel if it
/// is gray, else to three. Of an animation the first frame, of several pages the first. Transparent
/// pictures are laid over white; 16 bits are reduced to 8; CMYK becomes RGB; the orientation that
/// EXIF or TIFF states is applied. `name` is for error messages. Throws if the picture is damaged
/// in any way, also if the decoder could have guessed the rest.
///
/// Where `needs` is given, it is asked what part of the picture is wanted, and that part, or more
/// of it, is all that comes back (see Image::window). Unreduced pixels are the same as in the whole
/// picture. Damage behind the part may go unnoticed.
Image decode_image(std::span<const uint8_t> bytes, const std::string& name,
                   const PictureNeeds& needs = {});

/// decode_image of a file. `name` is what messages call it.
Image read_image(const std::filesystem::path& path, const std::string& name,
                 const PictureNeeds& needs = {});

}  // namespace projnce
