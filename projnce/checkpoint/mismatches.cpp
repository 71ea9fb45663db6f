#include "projnce/checkpoint/mismatches.h"

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/printable.h"

namespace projnce {

std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < kShown) first.push_back(printable_start(name));
  }
  const auto rest = names.size() - first.size();
  return concat(join(first), rest > 0 ? concat(" and ", rest, " more") : "");
}

void Mismatches::wrong_shape(const std::string& name, const torch::Tensor& found,
                             const torch::Tensor& expected) {
  shape_.push_back(concat(name, " ", found.sizes(), " instead of ", expected.sizes()));
}

void Mismatches::wrong_type(const std::string& name, const torch::Tensor& found,
                            const torch::Tensor& expected) {
  type_.push_back(concat(name, " ", found.scalar_type(), " instead of ", expected.scalar_type()));
}

std::string Mismatches::text() const {
  const std::vector<std::pair<const char*, const std::vector<std::string>&>> kinds = {
      {"missing ", missing_},
      {"unexpected ", unexpected_},
      {"wrong shape ", shape_},
      {"wrong type ", type_}};
  std::vector<std::string> parts;
  for (const auto& [kind, names] : kinds) {
    if (!names.empty()) parts.push_back(kind + first_names(names));
  }
  return join(parts, "; ");
}

}  // namespace projnce
