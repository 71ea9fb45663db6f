#include "projnce/report/page.h"

#include <string_view>

#include "projnce/core/error.h"
#include "projnce/io/base64.h"
#include "projnce/io/digest.h"
#include "projnce/io/html.h"
#include "projnce/report/page_numbers.h"
#include "projnce/report/page_parts.h"

namespace projnce {

namespace {

void put_in_place(std::string& page, std::string_view placeholder, std::string_view text) {
  const auto at = page.find(placeholder);
  if (at == std::string::npos) fail_working("the page's template lacks ", placeholder);
  page.replace(at, placeholder.size(), text);
}

}  // namespace

std::string page_json(const nlohmann::ordered_json& data) {
  // Names come from files and may not be UTF-8.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  const auto text = data.dump(-1, ' ', /*ensure_ascii=*/false, kReplace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    // Nothing in a name can end the element or start a comment; in JSON a '<' is in strings only.
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string page_policy() {
  return concat("default-src 'none'; script-src 'sha256-", base64(sha256(page_script())),
                "'; style-src 'sha256-", base64(sha256(page_style())),
                "'; img-src data: blob:; media-src data: blob:; connect-src 'self'; base-uri "
                "'none'; form-action 'none'");
}

std::string page_html(const nlohmann::ordered_json& data) {
  if (page_script().empty()) {
    fail_working(Hint{"build it again where web/dist is there, or with npm"},
                 "this program was built without the report page");
  }
  std::string page(page_template());
  // From the end to the start: what was put in is never searched.
  put_in_place(page, "{{script}}", page_script());
  put_in_place(page, "{{data}}", page_json(data));
  put_in_place(page, "{{numbers}}", page_numbers(data));
  put_in_place(page, "{{style}}", page_style());
  put_in_place(page, "{{title}}", escape_html(data.at("title").get<std::string>()));
  put_in_place(page, "{{csp}}", page_policy());
  return page;
}

}  // namespace projnce
