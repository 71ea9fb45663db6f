#include "projnce/io/tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>

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
  fail(origin, " holds a tensor of type '", name, "', expected one of ", known);
}

uint64_t stored_bytes(StoredType type, const std::vector<uint64_t>& shape,
                      const std::string& origin) {
  const auto bytes = array_bytes(stored_type_bytes(type), shape);
  if (!bytes) fail(origin, " holds a tensor of more bytes than 63 bits can count");
  return *bytes;
}

namespace {

constexpr size_t kDataAlignment = 64;

/// Takes the events of the JSON parser. The header's grammar is so small that the place in it is
/// one value; an event that has no business there throws, which also bounds the depth.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(const std::string& origin) : origin_(origin) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::kStart) {
      place_ = Place::kNames;
    } else if (place_ == Place::kNames && name_ == kMetadataName) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kNames) {
      place_ = Place::kTensor;
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
    if (place_ == Place::kTensor) finish_tensor();
    place_ = place_ == Place::kNames ? Place::kEnd : Place::kNames;
    return true;
  }

  bool key(std::string& text) override {
    auto& seen = place_ == Place::kNames ? names_ : keys_;
    if (!seen.insert(text).second)
      fail_damaged("the name '", printable_start(text), "' stands twice");
    if (place_ == Place::kNames) {
      name_ = text;
    } else if (place_ == Place::kTensor && text != "dtype" && text != "shape" &&
               text != "data_offsets") {
      fail_damaged("tensor '", printable_start(name_), "' has an unknown field '",
                   printable_start(text), "'");
    }
    key_ = text;
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = text;
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      tensor_.type = stored_type(text, origin_);
    } else {
      fail_unexpected("a string");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") fail_unexpected("an array");
    place_ = key_ == "shape" ? Place::kShape : Place::kOffsets;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_.size() != 2) {
      fail_damaged("tensor '", printable_start(name_), "' has ", offsets_.size(),
                   " data_offsets, expected 2");
    }
    place_ = Place::kTensor;
    return true;
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) fail_unexpected("a number");
    auto& numbers = place_ == Place::kShape ? tensor_.shape : offsets_;
    if (numbers.size() == kSafetensorsMaxRank) {
      fail_damaged("tensor '", printable_start(name_), "' has more than ", kSafetensorsMaxRank,
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
    fail_damaged("it is no JSON at its byte ", position);
  }

 private:
  enum class Place { kStart, kNames, kMetadata, kTensor, kShape, kOffsets, kEnd };

  void finish_tensor() {
    if (keys_.size() != 3) {
      fail_damaged("tensor '", printable_start(name_),
                   "' lacks one of dtype, shape and data_offsets");
    }
    tensor_.begin = offsets_[0];
    tensor_.end = offsets_[1];
    header_.tensors.push_back(std::move(tensor_));
  }

  template <class... Parts>
  [[noreturn]] void fail_damaged(const Parts&... parts) const {
    fail(origin_, " has a damaged safetensors header: ", parts...);
  }

  [[noreturn]] void fail_unexpected(const std::string& what) const {
    if (name_.empty()) fail_damaged("found ", what, " where it must not be");
    fail_damaged("found ", what, " where it must not be, at '", printable_start(name_), "'");
  }

  const std::string& origin_;
  SafetensorsHeader header_;
  Place place_ = Place::kStart;
  std::string name_;  // of the tensor, or __metadata__
  std::string key_;   // inside it
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> keys_;
  StoredTensor tensor_;
  std::vector<uint64_t> offsets_;
};

/// Every byte of the data belongs to one tensor: no holes, overlaps or bytes left over.
void check_cover(const SafetensorsHeader& header, uint64_t data_bytes, const std::string& origin) {
  std::vector<std::reference_wrapper<const StoredTensor>> by_place(header.tensors.begin(),
                                                                   header.tensors.end());
  std::sort(by_place.begin(), by_place.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const StoredTensor& tensor : by_place) {
    if (tensor.begin != position || tensor.end < tensor.begin || tensor.end > data_bytes) {
      fail(origin, " has tensor '", printable_start(tensor.name), "' at bytes ", tensor.begin,
           " to ", tensor.end, " of its ", data_bytes, " bytes of data, expected it to begin at ",
           position);
    }
    const auto expected = stored_bytes(tensor.type, tensor.shape, origin);
    if (tensor.end - tensor.begin != expected) {
      fail(origin, " has ", tensor.end - tensor.begin, " bytes for tensor '",
           printable_start(tensor.name), "', expected ", expected, " for its shape and type");
    }
    position = tensor.end;
  }
  if (position != data_bytes) {
    fail(origin, " has ", data_bytes, " bytes of data, expected ", position,
         " for the tensors that its header lists");
  }
}

std::string quote(const std::string& text, const std::string& origin) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail(origin, " cannot hold a name or metadata that is not UTF-8 text");
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
  // The JSON parser skips a byte order mark and takes a zero byte for the end: neither is JSON.
  if (json.empty() || json.front() != '{' || json.find('\0') != std::string_view::npos) {
    fail(origin, " has a damaged safetensors header: expected text that begins with '{'");
  }
  HeaderHandler handler(origin);
  nlohmann::json::sax_parse(json, &handler);
  auto header = handler.take();
  check_cover(header, data_bytes, origin);
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
