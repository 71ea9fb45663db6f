#include "projnce/io/tensor/npy.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

static_assert(std::endian::native == std::endian::little,
              "arrays are written in native byte order");

namespace {

/// The fields of a `.npy` header, as written in the file.
struct NpyHeader {
  std::string type;  // "<f4"
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

constexpr size_t kMaxRank = 4;

/// Parser of the header dictionary; each function consumes one token or throws.
class Literal {
 public:
  Literal(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail_here(concat("'", token, "'"));
  }

  std::string string() {
    skip_spaces();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') fail_here("a string");
    const auto end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail_here("the end of a string");
    const auto content = text_.substr(position_ + 1, end - position_ - 1);
    if (content.find('\\') != std::string_view::npos) fail_here("a string without escapes");
    position_ = end + 1;
    return std::string(content);
  }

  bool boolean() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  uint64_t number() {
    skip_spaces();
    uint64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail_here("a size of at most 64 bits");
    if (error != std::errc{}) fail_here("a size that is not negative");
    position_ += static_cast<size_t>(stop - begin);
    return value;
  }

  /// "()", "(3,)", "(3, 4)"; "(3)" is a number in Python, not a shape.
  std::vector<uint64_t> shape() {
    std::vector<uint64_t> sizes;
    expect("(");
    bool comma = true;
    while (!accept(")")) {
      if (!comma) fail_here("',' or ')'");
      if (sizes.size() == kMaxRank) {
        fail(origin_, " has an array of more than ", kMaxRank, " dimensions, expected at most ",
             kMaxRank);
      }
      sizes.push_back(number());
      comma = accept(",");
    }
    if (sizes.size() == 1 && !comma) fail_here("a comma after a single size");
    return sizes;
  }

  void end() {
    skip_spaces();
    if (text_.substr(position_) != "\n") fail_here("a newline at the end");
  }

  [[noreturn]] void fail_here(const std::string& expected) const {
    fail(origin_, " has a corrupt .npy header: expected ", expected, " at byte ", position_);
  }

 private:
  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  std::string_view text_;
  size_t position_ = 0;
  const std::string& origin_;
};

void parse_field(Literal& literal, const std::string& field, NpyHeader& header,
                 const std::string& origin) {
  if (field == "descr") {
    if (literal.accept("[")) {
      fail(origin, " contains a structured array, expected a numeric array");
    }
    header.type = literal.string();
  } else if (field == "fortran_order") {
    header.fortran_order = literal.boolean();
  } else if (field == "shape") {
    header.shape = literal.shape();
  } else {
    fail(origin, " has a corrupt .npy header: unknown field '", field,
         "', expected 'descr', 'fortran_order' and 'shape'");
  }
}

/// Parses the Python dictionary at the start of a `.npy` file: exactly the three fields, each once,
/// then spaces and a newline. Anything else throws; nothing is evaluated.
NpyHeader parse_npy_header(std::string_view text, const std::string& origin) {
  Literal literal(text, origin);
  NpyHeader header;
  std::set<std::string> seen;
  literal.expect("{");
  bool comma = true;
  while (!literal.accept("}")) {
    if (!comma) literal.fail_here("',' or '}'");
    const auto field = literal.string();
    if (!seen.insert(field).second) literal.fail_here(concat("a single '", field, "'"));
    literal.expect(":");
    parse_field(literal, field, header, origin);
    comma = literal.accept(",");
  }
  literal.end();
  if (seen.size() != 3) literal.fail_here("all of 'descr', 'fortran_order' and 'shape'");
  return header;
}

/// Formats a header as NumPy does.
std::string format_npy_header(const NpyHeader& header) {
  std::string sizes;
  for (size_t i = 0; i < header.shape.size(); ++i) {
    sizes += concat(i > 0 ? ", " : "", header.shape[i]);
  }
  if (header.shape.size() == 1) sizes += ",";
  return concat("{'descr': '", header.type,
                "', 'fortran_order': ", header.fortran_order ? "True" : "False", ", 'shape': (",
                sizes, "), }");
}

constexpr std::string_view kMagic = "\x93NUMPY";

constexpr size_t kAlignment = 64;  // of the data, so that the file can be memory-mapped

constexpr uint64_t kMaxHeaderBytes = 1 << 16;  // rank 4 needs under 200

struct TypeRow {
  NpyType type;
  std::string_view name;
  std::string_view code;
  uint64_t bytes;
};

constexpr std::array kTypes = {
    TypeRow{NpyType::kFloat16, "float16", "<f2", 2},
    TypeRow{NpyType::kFloat32, "float32", "<f4", 4},
    TypeRow{NpyType::kFloat64, "float64", "<f8", 8},
    TypeRow{NpyType::kInt8, "int8", "|i1", 1},
    TypeRow{NpyType::kInt16, "int16", "<i2", 2},
    TypeRow{NpyType::kInt32, "int32", "<i4", 4},
    TypeRow{NpyType::kInt64, "int64", "<i8", 8},
    TypeRow{NpyType::kUint8, "uint8", "|u1", 1},
    TypeRow{NpyType::kUint16, "uint16", "<u2", 2},
    TypeRow{NpyType::kUint32, "uint32", "<u4", 4},
    TypeRow{NpyType::kUint64, "uint64", "<u8", 8},
};

const TypeRow& row_of(NpyType type) {
  for (const auto& row : kTypes) {
    if (row.type == type) return row;
  }
  fail("unknown array type ", static_cast<int>(type));
}

bool is_big_endian(const std::string& code) {
  return code.starts_with('>');
}

const TypeRow& row_of(const std::string& code, const std::string& origin) {
  for (const auto& row : kTypes) {
    if (row.code == code || (is_big_endian(code) && row.code == "<" + code.substr(1))) return row;
  }
  constexpr std::string_view kExpected =
      "expected float16, float32 or float64, or integers of 8 to 64 bits";
  if (code.size() > 1 && code[1] == 'O') {
    fail(Hint{"convert it to numbers with astype() and save it again"}, origin,
         " contains pickled Python objects, which are not supported; ", kExpected);
  }
  fail(Hint{"convert it with astype() and save it again"}, origin, " has the array type '", code,
       "', ", kExpected);
}

/// Removes and returns the header dictionary, which follows the magic, the version (2 bytes) and
/// the header length (2 bytes in version 1, 4 in versions 2 and 3). Leaves the data in `bytes`.
std::string_view take_header(std::span<const std::byte>& bytes, const std::string& origin) {
  const size_t fixed = kMagic.size() + 2;
  if (bytes.size() < fixed || as_text(bytes.first(kMagic.size())) != kMagic) {
    fail(origin, " is not a .npy file: it does not start with \\x93NUMPY and a version");
  }
  const auto version = std::to_integer<int>(bytes[kMagic.size()]);
  const auto minor = std::to_integer<int>(bytes[kMagic.size() + 1]);
  if (version < 1 || version > 3 || minor != 0) {
    fail(origin, " is a .npy file of version ", version, ".", minor, ", expected 1.0, 2.0 or 3.0");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < fixed + length_bytes) {
    fail(origin, " ends after ", counted(bytes.size(), "byte"), ", inside its .npy header");
  }
  const auto length = little_endian(bytes.subspan(fixed, length_bytes));
  const auto rest = bytes.subspan(fixed + length_bytes);
  if (length > rest.size() || length > kMaxHeaderBytes) {
    fail(origin, " declares a .npy header of ", length, " bytes, expected at most ",
         std::min<uint64_t>(rest.size(), kMaxHeaderBytes));
  }
  bytes = rest.subspan(length);
  return as_text(rest.first(length));
}

template <class T>
void write_values(const std::filesystem::path& path, std::span<const T> values, NpyType type,
                  const std::vector<uint64_t>& shape) {
  const auto& row = row_of(type);
  if (shape.empty() || shape.size() > 2 || array_bytes(row.bytes, shape) != values.size_bytes()) {
    fail(path.string(), " cannot store ", counted(values.size(), "value"), " in an array of ",
         counted(shape.size(), "dimension"),
         ": expected one or two sizes whose product is the number of values");
  }
  auto text = format_npy_header({std::string(row.code), /*fortran_order=*/false, shape});
  const size_t fixed = kMagic.size() + 4;  // two bytes each for version and length
  const size_t unpadded = fixed + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  const std::string version_and_length = {1, 0, static_cast<char>(text.size() & 0xff),
                                          static_cast<char>(text.size() >> 8)};
  const auto head = concat(kMagic, version_and_length, text);

  AtomicFile file(path);
  file.reserve(head.size() + values.size_bytes());
  file.write(std::as_bytes(std::span(head)));
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace

std::string npy_type_name(NpyType type) {
  return std::string(row_of(type).name);
}

/// Subnormal numbers (below 2^-14) are multiples of 2^-24; for others, changes the exponent bias
/// from 15 to 127 and extends the fraction.
Half::operator float() const {
  const uint32_t sign = bits >> 15;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t fraction = bits & 1023;
  if (exponent == 0) return (sign != 0 ? -0x1p-24f : 0x1p-24f) * static_cast<float>(fraction);
  const uint32_t shifted = exponent == 31 ? 255 : exponent + 112;  // 31: infinity and NaN
  return std::bit_cast<float>(sign << 31 | shifted << 23 | fraction << 13);
}

NpyView parse_npy(std::span<const std::byte> bytes, const std::string& origin) {
  const auto header = parse_npy_header(take_header(bytes, origin), origin);
  const auto& row = row_of(header.type, origin);
  if (header.fortran_order && header.shape.size() > 2) {
    fail(Hint{"save numpy.ascontiguousarray(array) instead"}, origin, " contains an array of ",
         header.shape.size(), " dimensions in Fortran order, expected C order");
  }
  const auto expected = array_bytes(row.bytes, header.shape);
  if (!expected) fail(origin, " has a shape whose size in bytes exceeds 63 bits");
  if (*expected != bytes.size()) {
    fail(origin, " has ", counted(bytes.size(), "byte"), " of data, expected ", *expected,
         " for its shape");
  }
  // The order of one-dimensional arrays is irrelevant.
  const bool fortran_order = header.fortran_order && header.shape.size() == 2;
  return {row.type, header.shape, bytes, fortran_order, is_big_endian(header.type)};
}

NpyFile read_npy(const std::filesystem::path& path) {
  auto bytes = read_regular_file(path);
  auto array = parse_npy(bytes.span(), path.string());
  return {std::move(bytes), std::move(array)};
}

void write_npy(const std::filesystem::path& path, std::span<const float> values,
               const std::vector<uint64_t>& shape) {
  write_values(path, values, NpyType::kFloat32, shape);
}

void write_npy(const std::filesystem::path& path, std::span<const double> values,
               const std::vector<uint64_t>& shape) {
  write_values(path, values, NpyType::kFloat64, shape);
}

void write_npy(const std::filesystem::path& path, std::span<const int64_t> values,
               const std::vector<uint64_t>& shape) {
  write_values(path, values, NpyType::kInt64, shape);
}

}  // namespace projnce::io
