#include "projnce/dataset/readers/embeddings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/dataset/readers/vector_rows.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

template <class T>
std::vector<float> floats_from(const io::NpyView& array, const std::string& origin) {
  const size_t rows = array.shape.empty() ? 1 : std::max<size_t>(array.shape[0], 1);
  const size_t in_row = std::max<size_t>(array.data.size() / sizeof(T) / rows, 1);
  std::vector<float> values(array.data.size() / sizeof(T));
  io::for_each_value<T>(array, [&](size_t i, T value) {
    values[i] = static_cast<float>(value);
    if (!std::isfinite(values[i])) {
      fail(origin, " contains ", value, " in row ", i / in_row,
           ", expected finite float32 numbers");
    }
  });
  return values;
}

template <class T>
std::vector<int64_t> integers_from(const io::NpyView& array, const std::string& origin) {
  std::vector<int64_t> values(array.data.size() / sizeof(T));
  io::for_each_value<T>(array, [&](size_t i, T value) {
    if (std::cmp_less(value, 0) || std::cmp_greater(value, std::numeric_limits<int64_t>::max())) {
      fail(origin, " contains ", +value, " in row ", i, ", expected 0 or more");
    }
    values[i] = static_cast<int64_t>(value);
  });
  return values;
}

io::NpyType array_type(io::StoredType type, const std::string& origin) {
  switch (type) {
    case io::StoredType::kF16:
      return io::NpyType::kFloat16;
    case io::StoredType::kF32:
      return io::NpyType::kFloat32;
    case io::StoredType::kF64:
      return io::NpyType::kFloat64;
    case io::StoredType::kI8:
      return io::NpyType::kInt8;
    case io::StoredType::kI16:
      return io::NpyType::kInt16;
    case io::StoredType::kI32:
      return io::NpyType::kInt32;
    case io::StoredType::kI64:
      return io::NpyType::kInt64;
    case io::StoredType::kU8:
      return io::NpyType::kUint8;
    default:
      fail(origin, " has the type ", io::stored_type_name(type),
           ", expected F16, F32 or F64, or integers");
  }
}

}  // namespace

io::NpyView as_array(const io::SafetensorsView& file, const io::StoredTensor& tensor,
                     const std::string& origin) {
  return {array_type(tensor.type, origin), tensor.shape, file.bytes(tensor)};
}

std::vector<float> finite_floats(const io::NpyView& array, const std::string& origin) {
  if (array.type == io::NpyType::kFloat16) return floats_from<io::Half>(array, origin);
  if (array.type == io::NpyType::kFloat32) return floats_from<float>(array, origin);
  if (array.type == io::NpyType::kFloat64) return floats_from<double>(array, origin);
  fail(origin, " contains ", io::npy_type_name(array.type),
       " numbers, expected float16, float32 or float64");
}

std::vector<int64_t> integers(const io::NpyView& array, const std::string& origin) {
  switch (array.type) {
    case io::NpyType::kInt8:
      return integers_from<int8_t>(array, origin);
    case io::NpyType::kInt16:
      return integers_from<int16_t>(array, origin);
    case io::NpyType::kInt32:
      return integers_from<int32_t>(array, origin);
    case io::NpyType::kInt64:
      return integers_from<int64_t>(array, origin);
    case io::NpyType::kUint8:
      return integers_from<uint8_t>(array, origin);
    case io::NpyType::kUint16:
      return integers_from<uint16_t>(array, origin);
    case io::NpyType::kUint32:
      return integers_from<uint32_t>(array, origin);
    case io::NpyType::kUint64:
      return integers_from<uint64_t>(array, origin);
    default:
      fail(origin, " contains ", io::npy_type_name(array.type), " numbers, expected integers");
  }
}

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxDimensions = 1 << 20;

/// Files of an embeddings folder; without test files, the vectors are split.
struct VectorFiles {
  std::string train;
  std::string train_labels;
  std::string test = {};
  std::string test_labels = {};
};

LabeledVectors join_vectors(const io::NpyView& vectors, const std::string& name,
                            const io::NpyView& labels, const std::string& labels_name) {
  if (vectors.shape.size() != 2 || vectors.shape[0] < 1 || vectors.shape[1] < 1 ||
      vectors.shape[1] > kMaxDimensions) {
    fail(name, " is not a matrix, expected a row per sample and 1 to ", kMaxDimensions, " columns");
  }
  if (labels.shape.size() != 1 || labels.shape[0] != vectors.shape[0]) {
    const auto count = labels.shape.empty() ? 0 : labels.shape[0];
    fail(labels_name, " contains ", counted(count, "label"), " in ",
         counted(labels.shape.size(), "dimension"), ", expected ", vectors.shape[0],
         " in one, the number of rows of ", name);
  }
  return {name, vectors.shape[1], finite_floats(vectors, name), integers(labels, labels_name)};
}

LabeledVectors read_vector_files(const io::FileTree& tree, const std::string& file,
                                 const std::string& labels_file) {
  const auto bytes = tree.read(file);
  const auto label_bytes = tree.read(labels_file);
  const auto name = display_path(tree, file);
  const auto labels_name = display_path(tree, labels_file);
  return join_vectors(io::parse_npy(bytes.span(), name), name,
                      io::parse_npy(label_bytes.span(), labels_name), labels_name);
}

/// Reads the tensors `stem`embeddings and `stem`labels; std::nullopt if they are missing.
std::optional<LabeledVectors> read_stored(const io::SafetensorsView& file, const std::string& stem,
                                          const std::string& origin) {
  const io::StoredTensor* vectors = nullptr;
  const io::StoredTensor* labels = nullptr;
  for (const auto& tensor : file.header.tensors) {
    if (tensor.name == stem + "embeddings") vectors = &tensor;
    if (tensor.name == stem + "labels") labels = &tensor;
  }
  if (vectors == nullptr || labels == nullptr) return {};
  const auto name = concat(origin, " (", vectors->name, ")");
  const auto labels_name = concat(origin, " (", labels->name, ")");
  return join_vectors(as_array(file, *vectors, name), name, as_array(file, *labels, labels_name),
                      labels_name);
}

/// Maps arbitrary labels to class indices.
class VectorClasses {
 public:
  VectorClasses(const io::FileTree& tree, const LabeledVectors& train) {
    const std::set<int64_t> found(train.labels.begin(), train.labels.end());
    if (found.size() < 2) fail(train.name, " has only one class, expected at least two");
    if (tree.has_file("classes.txt")) {
      names_ = read_name_list(tree, "classes.txt");
    } else {
      numbers_.assign(found.begin(), found.end());
      for (const int64_t number : numbers_) names_.push_back(std::to_string(number));
    }
  }

  DatasetPtr apply(LabeledVectors vectors) const {
    for (size_t i = 0; i < vectors.labels.size(); ++i) {
      vectors.labels[i] = class_index(vectors.labels[i], vectors.name, i);
    }
    return std::make_shared<VectorDataset>(std::move(vectors), names_);
  }

 private:
  int64_t class_index(int64_t label, const std::string& name, size_t row) const {
    if (numbers_.empty()) {
      if (label >= static_cast<int64_t>(names_.size())) {
        fail("row ", row, " of ", name, " has the label ", label, ", expected 0 to ",
             names_.size() - 1, " as classes.txt has ", counted(names_.size(), "name"));
      }
      return label;
    }
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), label);
    if (found == numbers_.end() || *found != label) {
      fail("row ", row, " of ", name, " has the label ", label,
           ", which the training split does not have");
    }
    return found - numbers_.begin();
  }

  std::vector<int64_t> numbers_;  // labels of the classes; empty if classes.txt names 0, 1, ...
  std::vector<std::string> names_;
};

DatasetSplit make_vector_split(const io::FileTree& tree, LabeledVectors train,
                               std::optional<LabeledVectors> test, const HoldOut& options) {
  const VectorClasses classes(tree, train);
  if (!test) {
    auto split = split_samples(classes.apply(std::move(train)), options);
    if (split.test->size() == 0) fail(tree.name(), " has no class with two vectors to split");
    return split;
  }
  if (train.dimensions != test->dimensions) {
    fail(train.name, " has ", counted(train.dimensions, "dimension"), " and ", test->name, " has ",
         test->dimensions, ", expected the same number");
  }
  return {.train = classes.apply(std::move(train)), .test = classes.apply(std::move(*test))};
}

/// Label file of a vector file: "a.npy" -> "a.labels.npy".
std::string labels_file_of(const std::string& file) {
  return file.substr(0, file.size() - std::string(".npy").size()) + ".labels.npy";
}

/// Finds pairs X.npy and X.labels.npy in a folder without subfolders; other folders may be too
/// large to list.
std::vector<std::string> vectors_with_labels(const io::FileTree& tree) {
  std::vector<std::string> found;
  if (!tree.subfolders("").empty()) return found;
  for (const auto& file : tree.files_below("", {".npy"})) {
    if (tree.has_file(labels_file_of(file))) found.push_back(file);
  }
  return found;
}

std::optional<VectorFiles> find_vector_files(const io::FileTree& tree) {
  if (tree.has_file("train.npy") && tree.has_file("train_labels.npy")) {
    return VectorFiles{"train.npy", "train_labels.npy", "test.npy", "test_labels.npy"};
  }
  if (tree.has_file("embeddings.npy") && tree.has_file("labels.npy")) {
    return VectorFiles{"embeddings.npy", "labels.npy"};
  }
  const auto pairs = vectors_with_labels(tree);
  if (pairs.size() > 1) {
    fail(Hint{"pass the file itself"}, tree.name(), " contains ", pairs.size(),
         " files of vectors with labels, expected one");
  }
  if (pairs.empty()) return {};
  return VectorFiles{pairs[0], labels_file_of(pairs[0])};
}

io::FileTreePtr find_embeddings(const io::FileTreePtr& tree) {
  return find_subtree(tree, [&](const std::string& folder) {
    const auto part = io::subtree(tree, folder);
    return (part->has_file("train.npy") && part->has_file("train_labels.npy")) ||
           (part->has_file("embeddings.npy") && part->has_file("labels.npy")) ||
           !vectors_with_labels(*part).empty();
  });
}

DatasetSplit open_vector_files(const io::FileTree& tree, const VectorFiles& files,
                               const HoldOut& options) {
  auto train = read_vector_files(tree, files.train, files.train_labels);
  std::optional<LabeledVectors> test;
  if (!files.test.empty()) test = read_vector_files(tree, files.test, files.test_labels);
  return make_vector_split(tree, std::move(train), std::move(test), options);
}

DatasetSplit open_safetensors_vectors(const io::FileTree& tree, const std::string& file,
                                      const HoldOut& options) {
  const auto bytes = tree.read(file);
  const auto origin = display_path(tree, file);
  const auto view = io::parse_safetensors(bytes.span(), io::Integrity::kOptional, origin);
  if (auto all = read_stored(view, "", origin)) {
    return make_vector_split(tree, std::move(*all), {}, options);
  }
  auto train = read_stored(view, "train_", origin);
  auto test = read_stored(view, "test_", origin);
  if (!train || !test) {
    fail(
        origin,
        " contains neither the tensors 'embeddings' and 'labels' nor both with the prefixes train_ "
        "and test_");
  }
  return make_vector_split(tree, std::move(*train), std::move(test), options);
}

DatasetSplit open_single_file(const fs::path& path, const HoldOut& options) {
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const auto tree = io::open_file_tree(folder);
  const std::string file = path.filename();
  if (path.extension() == ".safetensors") return open_safetensors_vectors(*tree, file, options);
  for (const auto& labels : {labels_file_of(file), std::string("labels.npy")}) {
    if (tree->has_file(labels)) return open_vector_files(*tree, {file, labels}, options);
  }
  fail(Hint{"save the labels, one per row, next to it"}, io::printable(path.native()),
       " has no labels: neither ", io::printable(labels_file_of(file)), " nor labels.npy exists");
}

}  // namespace

bool is_embeddings_file(const fs::path& path) {
  return path.extension() == ".npy" || path.extension() == ".safetensors";
}

bool is_embeddings(const io::FileTreePtr& tree) {
  return find_embeddings(tree) != nullptr;
}

DatasetSplit open_embeddings(const fs::path& root, const HoldOut& options) {
  std::error_code ignored;
  if (is_embeddings_file(root) && !fs::is_directory(root, ignored)) {
    return open_single_file(root, options);
  }
  const auto tree = find_embeddings(io::open_file_tree(root));
  if (!tree) {
    fail(Hint{"expected train.npy and test.npy with train_labels.npy and test_labels.npy, or "
              "embeddings.npy with labels.npy, or X.npy with X.labels.npy"},
         io::printable(root.native()), " contains no vectors with labels");
  }
  return open_vector_files(*tree, *find_vector_files(*tree), options);
}

}  // namespace projnce::dataset
