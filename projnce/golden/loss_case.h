#pragma once

#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "projnce/core/table.h"

namespace projnce::golden {

/// One case out of a file of loss cases. What is missing, of the wrong type or ragged throws a
/// sentence that names the case and the field.
class LossCase {
 public:
  /// `position` names a case that has no id. Matrices are read as `dtype`.
  LossCase(const nlohmann::json& json, size_t position, torch::Dtype dtype);

  const std::string& id() const { return id_; }

  bool has_input(const std::string& key) const;
  /// A matrix from the inputs, [rows, columns], both at least 1.
  torch::Tensor matrix(const std::string& key) const { return matrix(key, dtype_); }
  torch::Tensor matrix(const std::string& key, torch::Dtype dtype) const;
  /// As above, or a list of numbers as one column.
  torch::Tensor matrix_or_column(const std::string& key, torch::Dtype dtype) const;
  /// A matrix that must have the shape of another input.
  torch::Tensor matrix_like(const std::string& key, const torch::Tensor& other) const;
  /// Matrices of one shape as [planes, rows, columns].
  torch::Tensor planes(const std::string& key) const;
  /// Integers from the inputs, at least one.
  torch::Tensor integers(const std::string& key) const;
  /// The same, one for each row of `rows`.
  torch::Tensor integers(const std::string& key, const torch::Tensor& rows) const;

  /// The parameters as a table of loss options: `tau` becomes `temperature`, null means absent.
  Table params() const;
  /// The same for a loss with a temperature: `tau` must be there.
  Table params_with_tau() const;

 private:
  const nlohmann::json& input(const std::string& key) const;

  const nlohmann::json& json_;
  torch::Dtype dtype_;
  std::string id_;
};

/// Takes a whole number between `low` and `high` out of the table; throws where it is missing.
int64_t take_integer(Table& table, const std::string& key, int64_t low, int64_t high);

/// A tensor of any shape as nested arrays of numbers; all digits survive.
nlohmann::json to_json(const torch::Tensor& tensor);

}  // namespace projnce::golden
