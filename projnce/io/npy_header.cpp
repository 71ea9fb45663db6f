#include "projnce/io/npy_header.h"

#include <charconv>
#include <set>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr size_t kMaxRank = 4;

/// A cursor over the dictionary's text; each function takes one piece or throws.
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
    if (sizes.size() == 1 && !comma) fail_here("a comma after the only size");
    return sizes;
  }

  void end() {
    skip_spaces();
    if (text_.substr(position_) != "\n") fail_here("a line end and nothing behind it");
  }

  [[noreturn]] void fail_here(const std::string& expected) const {
    fail(origin_, " has a damaged .npy header: expected ", expected, " at its byte ", position_);
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
      fail(origin, " holds records of several fields, expected an array of plain numbers");
    }
    header.type = literal.string();
  } else if (field == "fortran_order") {
    header.fortran_order = literal.boolean();
  } else if (field == "shape") {
    header.shape = literal.shape();
  } else {
    fail(origin, " has a damaged .npy header: unknown field '", field,
         "', expected 'descr', 'fortran_order' and 'shape'");
  }
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& origin) {
  Literal literal(text, origin);
  NpyHeader header;
  std::set<std::string> seen;
  literal.expect("{");
  bool comma = true;
  while (!literal.accept("}")) {
    if (!comma) literal.fail_here("',' or '}'");
    const auto field = literal.string();
    if (!seen.insert(field).second) literal.fail_here(concat("no second '", field, "'"));
    literal.expect(":");
    parse_field(literal, field, header, origin);
    comma = literal.accept(",");
  }
  literal.end();
  if (seen.size() != 3) literal.fail_here("'descr', 'fortran_order' and 'shape' in front");
  return header;
}

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

}  // namespace projnce
