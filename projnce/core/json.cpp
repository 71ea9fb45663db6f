#include "projnce/core/json.h"

namespace projnce {

static_assert(kMostJsonLevels == 64 && kMostOrderedKeys == 10'000, "named in messages");

namespace {

template <class Json>
Json parse(std::string_view text, const std::string& origin) {
  const auto* excess = excess_in_json(text, keeps_json_order<Json>);
  if (excess != nullptr) fail(origin, " contains JSON with ", excess);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const std::string message = error.what();  // "[json.exception.parse_error.101] parse error ..."
    fail(origin, " is not valid JSON: ", message.substr(message.find("] ") + 2));
  }
}

}  // namespace

const char* excess_in_json(std::string_view text, bool keeps_order) {
  int levels = 0;
  size_t keys = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;  // skips the escaped character
    } else if (c == '[' || c == '{') {
      if (++levels > kMostJsonLevels) return "more than 64 levels";
    } else if (c == ']' || c == '}') {
      --levels;
    } else if (c == ':' && keeps_order && ++keys > kMostOrderedKeys) {
      return "more than 10000 keys";
    }
  }
  return nullptr;
}

nlohmann::json parse_json(std::string_view text, const std::string& origin) {
  return parse<nlohmann::json>(text, origin);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& origin) {
  return parse<nlohmann::ordered_json>(text, origin);
}

}  // namespace projnce
