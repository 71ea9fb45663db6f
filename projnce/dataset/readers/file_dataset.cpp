#include "projnce/dataset/readers/file_dataset.h"

#include <string_view>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/audio/audio_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr size_t kMaxSampleFileBytes = size_t{256} << 20;

}  // namespace

const std::vector<std::string>& extensions_of(SampleKind kind) {
  return kind == SampleKind::kAudio ? io::audio_extensions() : io::image_extensions();
}

FileDataset::FileDataset(io::FileTreePtr tree, SampleKind kind,
                         std::vector<std::string> class_names, std::vector<File> files,
                         Identity identity)
    : tree_(std::move(tree)),
      kind_(kind),
      names_(std::move(class_names)),
      files_(std::move(files)),
      identity_(identity) {}

std::string FileDataset::sample_name(int64_t index) const {
  return io::printable(at(index).file);
}

Sample FileDataset::decode_region(int64_t index, const RequiredRegion& required) const {
  const auto bytes = tree_->read(at(index).file, kMaxSampleFileBytes);
  const auto name = sample_name(index);
  if (kind_ == SampleKind::kAudio) return io::decode_audio(bytes.octets(), name);
  return io::decode_image(bytes.octets(), name, required);
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
    if (error.kind() != ErrorKind::kInput) throw;
    return hash_id(std::string_view(file));  // decoding reports the error
  }
}

std::string FileList::sample_name(int64_t index) const {
  return io::printable(files_.at(static_cast<size_t>(index)).native());
}

Sample FileList::decode_region(int64_t index, const RequiredRegion& required) const {
  const auto& file = files_.at(static_cast<size_t>(index));
  const auto name = sample_name(index);
  switch (kind_) {
    case SampleKind::kImage:
      return io::read_image(file, name, required);
    case SampleKind::kAudio:
      return io::read_audio(file, name);
    case SampleKind::kVector:
      break;
  }
  fail(Hint{"pass the embeddings as a dataset"}, name, " cannot be read as a vector");
}

SampleKind kind_by_name(const std::filesystem::path& file) {
  const bool audio = io::has_extension(file.native(), io::audio_extensions());
  return audio ? SampleKind::kAudio : SampleKind::kImage;
}

}  // namespace projnce::dataset
