#include "projnce/dataset/file_list.h"

#include "projnce/core/error.h"
#include "projnce/io/image_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/sound_file.h"
#include "projnce/io/tree_names.h"

namespace projnce {

std::string FileList::sample_name(int64_t index) const {
  return printable(files_.at(static_cast<size_t>(index)).native());
}

Sample FileList::decode_part(int64_t index, const PictureNeeds& needs) const {
  const auto& file = files_.at(static_cast<size_t>(index));
  const auto name = sample_name(index);
  switch (kind_) {
    case SampleKind::kImage:
      return read_image(file, name, needs);
    case SampleKind::kSound:
      return read_sound(file, name);
    case SampleKind::kVector:
      break;
  }
  fail(Hint{"give the embeddings as a dataset"}, name, " cannot be read as a vector");
}

SampleKind kind_by_name(const std::filesystem::path& file) {
  const bool sound = has_extension(file.native(), sound_extensions());
  return sound ? SampleKind::kSound : SampleKind::kImage;
}

}  // namespace projnce
