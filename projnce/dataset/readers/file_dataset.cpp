#include "projnce/dataset/readers/file_dataset.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/audio/sound_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr size_t kMaxSampleFileBytes = size_t{256} << 20;

}  // namespace

const std::vector<std::string>& extensions_of(SampleKind kind) {
  return kind == SampleKind::kSound ? io::sound_extensions() : io::image_extensions();
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
  if (kind_ == SampleKind::kSound) return io::decode_sound(bytes.octets(), name);
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
    case SampleKind::kSound:
      return io::read_sound(file, name);
    case SampleKind::kVector:
      break;
  }
  fail(Hint{"pass the embeddings as a dataset"}, name, " cannot be read as a vector");
}

SampleKind kind_by_name(const std::filesystem::path& file) {
  const bool sound = io::has_extension(file.native(), io::sound_extensions());
  return sound ? SampleKind::kSound : SampleKind::kImage;
}

namespace {

constexpr size_t kMaxRecordFileBytes = size_t{4} << 30;

void require_file(const io::FileTree& tree, const std::string& file) {
  if (tree.has_file(file)) return;
  if (tree.has_folder(file)) fail(display_path(tree, file), " is a folder, expected a file");
  fail(Hint{"extract the dataset's archive again, or pass the archive itself"},
       display_path(tree, file), " does not exist");
}

int64_t count_records(uint64_t bytes, size_t record_bytes, const std::string& path) {
  if (bytes == 0) fail(path, " is empty, expected records of ", record_bytes, " bytes");
  if (bytes % record_bytes != 0) {
    fail(Hint{"the file is truncated or has another format; extract it from the archive again"},
         path, " has ", counted(bytes, "byte"), ", expected a multiple of ", record_bytes,
         ", the size of a record");
  }
  return static_cast<int64_t>(bytes / record_bytes);
}

}  // namespace

RecordFiles::RecordFiles(const io::FileTree& tree, const std::vector<std::string>& files,
                         size_t record_bytes)
    : record_bytes_(record_bytes) {
  for (const auto& file : files) {
    require_file(tree, file);
    auto bytes = tree.read(file, kMaxRecordFileBytes);
    const auto count = count_records(bytes.span().size(), record_bytes, display_path(tree, file));
    parts_.push_back({file, display_path(tree, file), std::move(bytes), size_});
    size_ += count;
  }
}

const RecordFiles::Part& RecordFiles::part_of(int64_t index) const {
  const auto next = std::upper_bound(parts_.begin(), parts_.end(), index,
                                     [](int64_t i, const Part& part) { return i < part.begin; });
  return *(next - 1);
}

std::span<const uint8_t> RecordFiles::record(int64_t index) const {
  const auto& part = part_of(index);
  return part.bytes.octets().subspan(static_cast<size_t>(index - part.begin) * record_bytes_,
                                     record_bytes_);
}

std::string RecordFiles::name(int64_t index) const {
  const auto& part = part_of(index);
  return concat(io::printable(part.file), ":", index - part.begin);
}

std::string RecordFiles::location(int64_t index) const {
  const auto& part = part_of(index);
  return concat("record ", index - part.begin, " of ", part.path);
}

RecordStream::RecordStream(io::FileTreePtr tree, std::string file, size_t record_bytes)
    : tree_(std::move(tree)), file_(std::move(file)), record_bytes_(record_bytes) {
  require_file(*tree_, file_);
  size_ = count_records(tree_->file_size(file_), record_bytes, display_path(*tree_, file_));
}

io::FileBytes RecordStream::record(int64_t index) const {
  return tree_->read_range(file_, static_cast<uint64_t>(index) * record_bytes_, record_bytes_);
}

std::string RecordStream::name(int64_t index) const {
  return concat(io::printable(file_), ":", index);
}

Image image_from_planes(std::span<const uint8_t> planes, int side, PlaneOrder order) {
  const auto n = static_cast<size_t>(side);
  Image image{.height = side, .width = side, .channels = 3, .pixels = {}};
  image.pixels.resize(3 * n * n);
  for (size_t c = 0; c < 3; ++c) {
    const auto plane = planes.subspan(c * n * n, n * n);
    for (size_t y = 0; y < n; ++y) {
      for (size_t x = 0; x < n; ++x) {
        const size_t from = order == PlaneOrder::kRows ? y * n + x : x * n + y;
        image.pixels[(y * n + x) * 3 + c] = plane[from];
      }
    }
  }
  return image;
}

}  // namespace projnce::dataset
