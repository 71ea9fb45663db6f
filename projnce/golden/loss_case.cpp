#include "projnce/golden/loss_case.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::golden {

namespace {

using nlohmann::json;

std::string describe(const json& value) {
  return value.is_null() ? "null" : concat("a value of type ", value.type_name());
}

double number(const json& value, const std::string& where) {
  if (!value.is_number()) fail(where, " is ", describe(value), ", expected a number");
  return value.get<double>();
}

int64_t integer(const json& value, const std::string& where) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max()));
  if (!fits) fail(where, " is ", describe(value), ", expected a 64-bit integer");
  return value.get<int64_t>();
}

torch::Tensor to_matrix(const json& value, const std::string& where) {
  if (!value.is_array() || value.empty()) {
    fail(where, " is not an array of rows, expected at least one row");
  }
  const auto width = value[0].is_array() ? value[0].size() : 0;
  std::vector<double> numbers;
  for (size_t row = 0; row < value.size(); ++row) {
    const auto row_name = concat(where, "[", row, "]");
    if (!value[row].is_array())
      fail(row_name, " is ", describe(value[row]), ", expected a row of numbers");
    if (width == 0 || value[row].size() != width) {
      fail(row_name, " has ", counted(value[row].size(), "number"), ", expected ",
           std::max<size_t>(width, 1));
    }
    for (const auto& entry : value[row]) numbers.push_back(number(entry, row_name));
  }
  return torch::tensor(numbers, torch::kFloat64)
      .view({static_cast<int64_t>(value.size()), static_cast<int64_t>(width)});
}

Value to_value(const json& value, const std::string& where) {
  if (value.is_boolean()) return {value.get<bool>(), where};
  if (value.is_string()) return {value.get<std::string>(), where};
  if (value.is_number_integer()) return {integer(value, where), where};
  if (value.is_array()) {
    Value::Array entries;
    for (size_t i = 0; i < value.size(); ++i) {
      entries.push_back(to_value(value[i], concat(where, "[", i, "]")));
    }
    return {std::move(entries), where};
  }
  return {number(value, where), where};
}

}  // namespace

LossCase::LossCase(const json& json, size_t position, torch::Dtype dtype)
    : json_(json), dtype_(dtype), id_(concat("number ", position)) {
  if (!json.is_object()) fail("case ", id_, " is ", describe(json), ", expected an object");
  if (json.contains("id")) {
    if (!json["id"].is_string()) {
      fail("case ", id_, ": id is ", describe(json["id"]), ", expected a string");
    }
    id_ = json["id"];
  }
  for (const auto* key : {"params", "inputs"}) {
    if (!json.contains(key)) fail("case ", id_, ": ", key, " is missing");
    if (!json[key].is_object()) {
      fail("case ", id_, ": ", key, " is ", describe(json[key]), ", expected an object");
    }
  }
}

bool LossCase::has_input(const std::string& key) const {
  return json_["inputs"].contains(key);
}

const json& LossCase::input(const std::string& key) const {
  if (!has_input(key)) fail("case ", id_, ": inputs.", key, " is missing");
  return json_["inputs"][key];
}

torch::Tensor LossCase::matrix(const std::string& key, torch::Dtype dtype) const {
  return to_matrix(input(key), concat("case ", id_, ": inputs.", key)).to(dtype);
}

torch::Tensor LossCase::matrix_or_column(const std::string& key, torch::Dtype dtype) const {
  const auto& value = input(key);
  if (!value.is_array() || value.empty() || value[0].is_array()) return matrix(key, dtype);
  auto rows = json::array();
  for (const auto& entry : value) rows.push_back(json::array({entry}));
  return to_matrix(rows, concat("case ", id_, ": inputs.", key)).to(dtype);
}

torch::Tensor LossCase::matrix_like(const std::string& key, const torch::Tensor& other) const {
  const auto result = matrix(key);
  if (result.sizes() == other.sizes()) return result;
  fail("case ", id_, ": inputs.", key, " is ", result.sizes(), ", expected ", other.sizes());
}

torch::Tensor LossCase::planes(const std::string& key) const {
  const auto where = concat("case ", id_, ": inputs.", key);
  const auto& value = input(key);
  if (!value.is_array() || value.empty())
    fail(where, " is not an array of matrices, expected at least one matrix");
  std::vector<torch::Tensor> planes;
  for (size_t i = 0; i < value.size(); ++i) {
    planes.push_back(to_matrix(value[i], concat(where, "[", i, "]")));
    if (planes.back().sizes() != planes.front().sizes()) {
      fail(where, "[", i, "] is ", planes.back().sizes(), ", expected ", planes.front().sizes());
    }
  }
  return torch::stack(planes).to(dtype_);
}

torch::Tensor LossCase::integers(const std::string& key) const {
  const auto where = concat("case ", id_, ": inputs.", key);
  const auto& value = input(key);
  if (!value.is_array() || value.empty()) {
    fail(where, " is not an array of integers, expected at least one integer");
  }
  std::vector<int64_t> numbers;
  for (const auto& entry : value) numbers.push_back(integer(entry, where));
  return torch::tensor(numbers, torch::kInt64);
}

torch::Tensor LossCase::integers(const std::string& key, const torch::Tensor& rows) const {
  const auto numbers = integers(key);
  if (numbers.size(0) == rows.size(0)) return numbers;
  fail("case ", id_, ": inputs.", key, " has ", counted(numbers.size(0), "entry", "entries"),
       ", expected ", rows.size(0), ", one per row");
}

Table LossCase::params() const {
  Table table;
  for (const auto& [key, value] : json_["params"].items()) {
    if (value.is_null()) continue;
    table.values[key == "tau" ? "temperature" : key] = to_value(value, "params." + key);
  }
  return table;
}

Table LossCase::params_with_tau() const {
  auto table = params();
  if (!table.has("temperature")) fail("params.tau is missing");
  return table;
}

int64_t take_integer(Table& table, const std::string& key, int64_t low, int64_t high) {
  const auto found = table.values.find(key);
  if (found == table.values.end()) fail("params.", key, " is missing");
  const auto* value = std::get_if<int64_t>(&found->second.data);
  if (!value || *value < low || *value > high) {
    fail("params.", key, " is not an integer between ", low, " and ", high);
  }
  const auto result = *value;
  table.values.erase(found);
  return result;
}

json to_json(const torch::Tensor& tensor) {
  if (tensor.dim() > 0) {
    auto array = json::array();
    for (const auto& part : tensor.unbind(0)) array.push_back(to_json(part));
    return array;
  }
  if (tensor.is_floating_point()) return tensor.item<double>();
  return tensor.item<int64_t>();
}

}  // namespace projnce::golden
