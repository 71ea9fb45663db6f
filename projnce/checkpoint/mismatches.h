#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace projnce {

/// "a, b, c and 12 more": another architecture differs in hundreds of names.
std::string first_names(const std::vector<std::string>& names);

/// Collects what does not fit between stored tensors and those that they are for, and says it in
/// one sentence.
class Mismatches {
 public:
  void missing(const std::string& name) { missing_.push_back(name); }
  void unexpected(const std::string& name) { unexpected_.push_back(name); }
  void wrong_shape(const std::string& name, const torch::Tensor& found,
                   const torch::Tensor& expected);
  void wrong_type(const std::string& name, const torch::Tensor& found,
                  const torch::Tensor& expected);

  /// "missing a, b; wrong shape c [2] instead of [3]", or nothing where everything fits.
  std::string text() const;

 private:
  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> shape_;
  std::vector<std::string> type_;
};

}  // namespace projnce
