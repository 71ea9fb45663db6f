#include "projnce/dataset/file_dataset.h"

#include <utility>

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
                         std::vector<File> files)
    : tree_(std::move(tree)),
      kind_(kind),
      names_(std::move(class_names)),
      files_(std::move(files)) {}

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

}  // namespace projnce
