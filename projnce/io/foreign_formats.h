#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace projnce {

/// How to convert files with this extension (lower case, with its dot) into a format that is read:
/// a clause such as "convert to JPEG, such as with 'magick mogrify -format jpg *.heic'". Empty
/// if the extension is not known to be that of pictures, sounds or videos.
std::string conversion_advice(std::string_view extension);

/// Throws a sentence that names the format and how to convert the file if its content is of a known
/// picture format that is not read.
void refuse_foreign_picture(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce
