#pragma once

#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/table.h"

namespace projnce::golden {

/// One case of a file of loss cases. Accessors throw an error that names the case and the field if
/// a value is missing, has the wrong type, or is a ragged array.
class LossCase {
 public:
  /// `position` identifies a case without an id. Matrices are converted to `dtype`.
  LossCase(const nlohmann::json& json, size_t position, torch::Dtype dtype);

  const std::string& id() const { return id_; }

  bool has_input(const std::string& key) const;
  /// Input matrix [rows, columns], both at least 1.
  torch::Tensor matrix(const std::string& key) const { return matrix(key, dtype_); }
  torch::Tensor matrix(const std::string& key, torch::Dtype dtype) const;
  /// Same; a list of numbers becomes one column.
  torch::Tensor matrix_or_column(const std::string& key, torch::Dtype dtype) const;
  /// Input matrix with the same shape as `other`.
  torch::Tensor matrix_like(const std::string& key, const torch::Tensor& other) const;
  /// Input matrices of equal shape as [planes, rows, columns].
  torch::Tensor planes(const std::string& key) const;
  /// Input integers, at least one.
  torch::Tensor integers(const std::string& key) const;
  /// Same, with one integer per row of `rows`.
  torch::Tensor integers(const std::string& key, const torch::Tensor& rows) const;

  /// Parameters as a table of loss options: `tau` becomes `temperature`; null values are skipped.
  Table params() const;
  /// Same; throws if `tau` is missing.
  Table params_with_tau() const;

 private:
  const nlohmann::json& input(const std::string& key) const;

  const nlohmann::json& json_;
  torch::Dtype dtype_;
  std::string id_;
};

/// Removes an integer in [low, high] from the table and returns it. Throws if it is missing.
int64_t take_integer(Table& table, const std::string& key, int64_t low, int64_t high);

/// Converts a tensor of any shape to nested arrays, without loss of precision.
nlohmann::json to_json(const torch::Tensor& tensor);

}  // namespace projnce::golden
