#include "projnce/dataset/readers/image_readers.h"

#include <cstdint>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/archive/gzip_file.h"
#include "projnce/io/tensor/idx.h"

namespace projnce::dataset {

namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 30;
constexpr int64_t kMaxSide = 4096;

/// An IDX file in memory.
struct IdxFile {
  std::string name;
  std::vector<uint8_t> bytes;
  io::IdxArray array;  // view into `bytes`
};

/// Reads a plain or gzip file, detected by content.
std::vector<uint8_t> read_decompressed(const io::FileTree& tree, const std::string& file,
                                       const std::string& name) {
  const auto bytes = tree.read(file, kMaxFileBytes);
  const auto octets = bytes.octets();
  if (io::is_gzip(octets)) return io::gunzip(octets, kMaxFileBytes, name);
  return {octets.begin(), octets.end()};
}

IdxFile read_idx(const io::FileTree& tree, const std::string& stem, size_t rank) {
  const auto name = tree.has_file(stem) ? stem : stem + ".gz";
  if (!tree.has_file(name)) {
    fail(Hint{"the dataset consists of four files: train- and t10k-, images-idx3-ubyte and "
              "labels-idx1-ubyte, plain or .gz"},
         display_path(tree, stem), " does not exist, neither plain nor as .gz");
  }
  IdxFile file{display_path(tree, name), {}, {}};
  file.bytes = read_decompressed(tree, name, file.name);
  file.array = io::parse_idx(file.bytes, file.name);
  if (file.array.dims.size() != rank) {
    fail(file.name, " has ", counted(file.array.dims.size(), "dimension"), ", expected ", rank);
  }
  return file;
}

class MnistDataset : public Dataset {
 public:
  MnistDataset(IdxFile images, IdxFile labels, std::vector<std::string> class_names)
      : images_(std::move(images)), labels_(std::move(labels)), names_(std::move(class_names)) {}

  int64_t size() const override { return images_.array.dims[0]; }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override {
    return labels_.array.values[static_cast<size_t>(index)];
  }
  std::string sample_name(int64_t index) const override { return std::to_string(index); }

  Sample decode(int64_t index) const override {
    const auto& dims = images_.array.dims;
    const auto bytes = static_cast<size_t>(dims[1] * dims[2]);
    const auto pixels = images_.array.values.subspan(static_cast<size_t>(index) * bytes, bytes);
    return Image{.height = static_cast<int>(dims[1]),
                 .width = static_cast<int>(dims[2]),
                 .channels = 1,
                 .pixels = {pixels.begin(), pixels.end()}};
  }

 private:
  IdxFile images_;
  IdxFile labels_;
  std::vector<std::string> names_;
};

void check_sides(const IdxFile& images) {
  const auto& dims = images.array.dims;
  for (const int64_t side : {dims[1], dims[2]}) {
    if (side < 1 || side > kMaxSide) {
      fail(images.name, " contains images of ", dims[1], " x ", dims[2],
           " pixels, expected sides of 1 to ", kMaxSide);
    }
  }
}

void check_labels(const IdxFile& labels, size_t classes) {
  const auto values = labels.array.values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= classes) {
      fail(labels.name, " has label ", int{values[i]}, " for sample ", i, ", expected 0 to ",
           classes - 1);
    }
  }
}

DatasetPtr open_split(const io::FileTree& tree, const std::string& name,
                      const std::vector<std::string>& class_names) {
  auto images = read_idx(tree, name + "-images-idx3-ubyte", 3);
  auto labels = read_idx(tree, name + "-labels-idx1-ubyte", 1);
  const int64_t count = images.array.dims[0];
  if (count != labels.array.dims[0]) {
    fail(Hint{"use files of the same copy of the dataset"}, images.name, " contains ",
         counted(count, "image"), ", but ", labels.name, " contains ",
         counted(labels.array.dims[0], "label"), "; expected equal numbers");
  }
  if (count == 0) fail(images.name, " contains no images");
  check_sides(images);
  check_labels(labels, class_names.size());
  return std::make_shared<MnistDataset>(std::move(images), std::move(labels), class_names);
}

io::FileTreePtr find_mnist(const io::FileTreePtr& tree) {
  for (const char* file : {"t10k-images-idx3-ubyte", "t10k-images-idx3-ubyte.gz"}) {
    if (auto folder = find_subtree_with(tree, {file})) return folder;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& fashion_mnist_classes() {
  static const std::vector<std::string> kNames = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                                  "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                                  "Bag",         "Ankle boot"};
  return kNames;
}

const std::vector<std::string>& mnist_classes() {
  static const std::vector<std::string> kNames = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  return kNames;
}

bool is_mnist(const io::FileTreePtr& tree) {
  return find_mnist(tree) != nullptr;
}

DatasetSplit open_mnist(const io::FileTreePtr& tree, const std::vector<std::string>& class_names) {
  const auto found = find_mnist(tree);
  const auto& folder = found ? *found : *tree;
  return {.train = open_split(folder, "train", class_names),
          .test = open_split(folder, "t10k", class_names)};
}

}  // namespace projnce::dataset
