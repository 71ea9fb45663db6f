#include "projnce/dataset/file_dataset.h"

#include <string_view>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/image_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/sound_file.h"

namespace projnce {

namespace {

constexpr size_t kMaxSampleFileBytes = size_t{256} << 20;

}  // namespace

const std::vector<std::string>& extensions_of(SampleKind kind) {
  return kind == SampleKind::kSound ? sound_extensions() : image_extensions();
}

FileDataset::FileDataset(FileTreePtr tree, SampleKind kind, std::vector<std::string> class_names,
                         std::vector<File> files, Identity identity)
    : tree_(std::move(tree)),
      kind_(kind),
      names_(std::move(class_names)),
      files_(std::move(files)),
      identity_(identity) {}

std::string FileDataset::sample_name(int64_t index) const {
  return printable(at(index).file);
}

Sample FileDataset::decode_part(int64_t index, const PictureNeeds& needs) const {
  const auto bytes = tree_->read(at(index).file, kMaxSampleFileBytes);
  const auto name = sample_name(index);
  if (kind_ == SampleKind::kSound) return decode_sound(bytes.octets(), name);
  return decode_image(bytes.octets(), name, needs);
}

std::string FileDataset::content_id(int64_t index) const {
  return tree_->content_id(at(index).file);
}

SampleId FileDataset::identity(int64_t index) const {
  const auto& file = at(index).file;
  if (identity_ == Identity::kName) return hash_id(std::string_view(file));
  try {
    return hash_file(*tree_, file);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    return hash_id(std::string_view(file));  // decoding it will tell what is wrong
  }
}

}  // namespace projnce
