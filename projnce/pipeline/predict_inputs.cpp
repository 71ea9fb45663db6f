#include "projnce/pipeline/predict_inputs.h"

#include <torch/types.h>

#include <memory>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/file_dataset.h"
#include "projnce/io/file_tree.h"
#include "projnce/io/printable.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/training_data.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

/// Rows of a matrix as samples without classes: every label is 0.
class MatrixRows : public Dataset {
 public:
  explicit MatrixRows(torch::Tensor rows) : rows_(std::move(rows)) {}

  SampleKind kind() const override { return SampleKind::kVector; }
  int64_t size() const override { return rows_.size(0); }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  int64_t label(int64_t /*index*/) const override { return 0; }
  std::string sample_name(int64_t index) const override { return std::to_string(index); }
  Sample decode(int64_t index) const override {
    const auto* begin = rows_.data_ptr<float>() + index * rows_.size(1);
    return Features{.channels = static_cast<int>(rows_.size(1)),
                    .height = 1,
                    .width = 1,
                    .values = {begin, begin + rows_.size(1)}};
  }

 private:
  torch::Tensor rows_;  // [N, D], float32, contiguous
  std::vector<std::string> no_names_;
};

std::vector<fs::path> files_in(const fs::path& folder, SampleKind kind) {
  const auto& extensions = extensions_of(kind);
  std::vector<fs::path> files;
  for (const auto& file : open_file_tree(folder)->files_below("", extensions)) {
    files.push_back(folder / file);
  }
  if (files.empty()) {
    fail("folder ", printable(folder.native()), " holds no file that this run can read, expected ",
         "names that end in ", join(extensions));
  }
  return files;
}

PredictInputs open_matrices(const std::vector<fs::path>& inputs, const InputOptions& input) {
  PredictInputs opened;
  std::vector<torch::Tensor> matrices;
  for (const auto& file : inputs) {
    const auto name = printable(file.native());
    if (file.extension() != ".npy") {
      fail(Hint{"give .npy matrices with a row for each sample"}, name,
           " is not a .npy file; this run was trained on vectors");
    }
    const auto rows = read_matrix(file).to(torch::kFloat32);
    if (rows.size(1) != input.vector_size) {
      fail(name, " has ", rows.size(1), " columns, expected ", input.vector_size,
           " as the run was trained on");
    }
    for (int64_t i = 0; i < rows.size(0); ++i) opened.names.push_back(concat(name, ":", i));
    matrices.push_back(rows);
  }
  opened.samples = std::make_shared<MatrixRows>(torch::cat(matrices).contiguous());
  return opened;
}

}  // namespace

PredictInputs open_predict_inputs(const std::vector<fs::path>& inputs, const InputOptions& input) {
  if (input.kind == SampleKind::kVector) return open_matrices(inputs, input);
  std::vector<fs::path> files;
  for (const auto& path : inputs) {
    std::error_code unreadable;
    if (!fs::is_directory(path, unreadable)) {
      files.push_back(path);
      continue;
    }
    for (auto& file : files_in(path, input.kind)) files.push_back(std::move(file));
  }
  PredictInputs opened;
  for (const auto& file : files) opened.names.push_back(printable(file.native()));
  opened.samples = as_model_input(open_files(files, input), input, nullptr);
  return opened;
}

}  // namespace projnce
