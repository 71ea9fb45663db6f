#include "projnce/io/tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

struct StoredTypeRow {
  std::string_view name;
  uint64_t bytes;
};

/// In the order of StoredType.
constexpr std::array kStoredTypes = {
    StoredTypeRow{"BOOL", 1}, StoredTypeRow{"U8", 1},   StoredTypeRow{"I8", 1},
    StoredTypeRow{"I16", 2},  StoredTypeRow{"I32", 4},  StoredTypeRow{"I64", 8},
    StoredTypeRow{"F16", 2},  StoredTypeRow{"BF16", 2}, StoredTypeRow{"F32", 4},
    StoredTypeRow{"F64", 8},
};

}  // namespace

std::string_view stored_type_name(StoredType type) {
  return kStoredTypes.at(static_cast<size_t>(type)).name;
}

uint64_t stored_type_bytes(StoredType type) {
  return kStoredTypes.at(static_cast<size_t>(type)).bytes;
}

StoredType stored_type(std::string_view name, const std::string& origin) {
  std::string known;
  for (size_t i = 0; i < kStoredTypes.size(); ++i) {
    if (kStoredTypes[i].name == name) return static_cast<StoredType>(i);
    known += concat(i > 0 ? ", " : "", kStoredTypes[i].name);
  }
  fail(origin, " contains a tensor of type '", name, "', expected one of ", known);
}

uint64_t stored_bytes(StoredType type, const std::vector<uint64_t>& shape,
                      const std::string& origin) {
  const auto bytes = array_bytes(stored_type_bytes(type), shape);
  if (!bytes) fail(origin, " contains a tensor whose size in bytes exceeds 63 bits");
  return *bytes;
}

namespace {

constexpr size_t kDataAlignment = 64;

/// Handles the events of the JSON parser as a small state machine. Unexpected events throw, which
/// also bounds the nesting depth.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(const std::string& origin) : origin_(origin) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kNames;
    } else if (state_ == State::kNames && name_ == kMetadataName) {
      state_ = State::kMetadata;
    } else if (state_ == State::kNames) {
      state_ = State::kTensor;
      tensor_ = {};
      tensor_.name = name_;
      offsets_.clear();
    } else {
      fail_unexpected("an object");
    }
    keys_.clear();
    return true;
  }

  bool end_object() override {
    if (state_ == State::kTensor) finish_tensor();
    state_ = state_ == State::kNames ? State::kEnd : State::kNames;
    return true;
  }

  bool key(std::string& text) override {
    auto& seen = state_ == State::kNames ? names_ : keys_;
    if (!seen.insert(text).second)
      fail_corrupt("the name '", printable_start(text), "' is duplicated");
    if (state_ == State::kNames) {
      name_ = text;
    } else if (state_ == State::kTensor && text != "dtype" && text != "shape" &&
               text != "data_offsets") {
      fail_corrupt("tensor '", printable_start(name_), "' has an unknown field '",
                   printable_start(text), "'");
    }
    key_ = text;
    return true;
  }

  bool string(std::string& text) override {
    if (state_ == State::kMetadata) {
      header_.metadata[key_] = text;
    } else if (state_ == State::kTensor && key_ == "dtype") {
      tensor_.type = stored_type(text, origin_);
    } else {
      fail_unexpected("a string");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::kTensor || key_ == "dtype") fail_unexpected("an array");
    state_ = key_ == "shape" ? State::kShape : State::kOffsets;
    return true;
  }

  bool end_array() override {
    if (state_ == State::kOffsets && offsets_.size() != 2) {
      fail_corrupt("tensor '", printable_start(name_), "' has ", offsets_.size(),
                   " data_offsets, expected 2");
    }
    state_ = State::kTensor;
    return true;
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (state_ != State::kShape && state_ != State::kOffsets) fail_unexpected("a number");
    auto& numbers = state_ == State::kShape ? tensor_.shape : offsets_;
    if (numbers.size() == kSafetensorsMaxRank) {
      fail_corrupt("tensor '", printable_start(name_), "' has more than ", kSafetensorsMaxRank,
                   " dimensions");
    }
    numbers.push_back(number);
    return true;
  }

  bool null() override { fail_unexpected("null"); }
  bool boolean(bool) override { fail_unexpected("true or false"); }
  bool binary(binary_t&) override { fail_unexpected("binary data"); }
  bool number_integer(number_integer_t) override { fail_unexpected("a negative number"); }
  bool number_float(number_float_t, const std::string& text) override {
    fail_unexpected(concat("the number ", text.substr(0, 40)));
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    fail_corrupt("invalid JSON at byte ", position);
  }

 private:
  enum class State { kStart, kNames, kMetadata, kTensor, kShape, kOffsets, kEnd };

  void finish_tensor() {
    if (keys_.size() != 3) {
      fail_corrupt("tensor '", printable_start(name_),
                   "' lacks one of dtype, shape and data_offsets");
    }
    tensor_.begin = offsets_[0];
    tensor_.end = offsets_[1];
    header_.tensors.push_back(std::move(tensor_));
  }

  template <class... Parts>
  [[noreturn]] void fail_corrupt(const Parts&... parts) const {
    fail(origin_, " has a corrupt safetensors header: ", parts...);
  }

  [[noreturn]] void fail_unexpected(const std::string& what) const {
    if (name_.empty()) fail_corrupt("found ", what, " in an invalid position");
    fail_corrupt("found ", what, " in an invalid position, at '", printable_start(name_), "'");
  }

  const std::string& origin_;
  SafetensorsHeader header_;
  State state_ = State::kStart;
  std::string name_;  // of the tensor, or __metadata__
  std::string key_;   // key within it
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> keys_;
  StoredTensor tensor_;
  std::vector<uint64_t> offsets_;
};

/// Throws unless every byte of the data belongs to exactly one tensor.
void check_coverage(const SafetensorsHeader& header, uint64_t data_bytes,
                    const std::string& origin) {
  std::vector<std::reference_wrapper<const StoredTensor>> by_offset(header.tensors.begin(),
                                                                    header.tensors.end());
  std::sort(by_offset.begin(), by_offset.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const StoredTensor& tensor : by_offset) {
    if (tensor.begin != position || tensor.end < tensor.begin || tensor.end > data_bytes) {
      fail(origin, " has tensor '", printable_start(tensor.name), "' at bytes ", tensor.begin,
           " to ", tensor.end, " of its ", counted(data_bytes, "byte"),
           " of data, expected it to start at ", position);
    }
    const auto expected = stored_bytes(tensor.type, tensor.shape, origin);
    if (tensor.end - tensor.begin != expected) {
      fail(origin, " has ", counted(tensor.end - tensor.begin, "byte"), " for tensor '",
           printable_start(tensor.name), "', expected ", expected, " for its shape and type");
    }
    position = tensor.end;
  }
  if (position != data_bytes) {
    fail(origin, " has ", counted(data_bytes, "byte"), " of data, expected ", position,
         " for the tensors in its header");
  }
}

std::string quote(const std::string& text, const std::string& origin) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail(origin, " cannot store names or metadata that are not UTF-8");
  }
}

std::string format_tensor(const StoredTensor& tensor, const std::string& origin) {
  std::string shape;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    shape += concat(i > 0 ? "," : "", tensor.shape[i]);
  }
  return concat(quote(tensor.name, origin), ":{\"dtype\":\"", stored_type_name(tensor.type),
                "\",\"shape\":[", shape, "],\"data_offsets\":[", tensor.begin, ",", tensor.end,
                "]}");
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& origin) {
  // The JSON parser accepts a byte order mark and stops at a NUL byte; neither is valid JSON.
  if (json.empty() || json.front() != '{' || json.find('\0') != std::string_view::npos) {
    fail(origin, " has a corrupt safetensors header: expected text that starts with '{'");
  }
  HeaderHandler handler(origin);
  nlohmann::json::sax_parse(json, &handler);
  auto header = handler.take();
  check_coverage(header, data_bytes, origin);
  return header;
}

std::string format_safetensors_header(const SafetensorsHeader& header, const std::string& origin) {
  std::string json = "{";
  if (!header.metadata.empty()) {
    json += concat("\"", kMetadataName, "\":{");
    for (const auto& [key, value] : header.metadata) {
      json += concat(json.back() == '{' ? "" : ",", quote(key, origin), ":", quote(value, origin));
    }
    json += "}";
  }
  for (const auto& tensor : header.tensors) {
    json += concat(json.size() == 1 ? "" : ",", format_tensor(tensor, origin));
  }
  json += "}";
  const auto excess = (kHeaderLengthBytes + json.size()) % kDataAlignment;
  json.append((kDataAlignment - excess) % kDataAlignment, ' ');
  return json;
}

}  // namespace projnce::io
