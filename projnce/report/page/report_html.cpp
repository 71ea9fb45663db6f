#include "projnce/report/page/report_html.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/json.h"
#include "projnce/io/digest.h"
#include "projnce/io/printable.h"

namespace projnce::report {

namespace {

using nlohmann::ordered_json;
using NumberRows = std::vector<std::pair<std::string, std::string>>;  // name and value, as text

/// Returns the value at a path such as "/samples/test"; null if there is none.
ordered_json value_at(const ordered_json& data, const std::string& path) {
  const ordered_json::json_pointer pointer(path);
  return data.is_object() && data.contains(pointer) ? data.at(pointer) : ordered_json();
}

std::string text_at(const ordered_json& data, const std::string& path) {
  const auto value = value_at(data, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<std::string> plain_percent(const ordered_json& share) {
  if (!share.is_number()) return {};
  return fmt::format("{:.1f} %", 100 * share.get<double>());
}

void add_accuracy_row(NumberRows& rows, const std::string& name, const ordered_json& share,
                      const ordered_json& interval) {
  auto text = plain_percent(share);
  if (!text) return;
  if (interval.is_array() && interval.size() == 2 && interval[0].is_number() &&
      interval[1].is_number()) {
    *text += fmt::format(" (95 % interval {:.1f} to {:.1f})", 100 * interval[0].get<double>(),
                         100 * interval[1].get<double>());
  }
  rows.emplace_back(name, *text);
}

void add_count_row(NumberRows& rows, const std::string& name, const ordered_json& count) {
  if (is_json_count(count)) rows.emplace_back(name, fmt::format("{}", count.get<int64_t>()));
}

NumberRows summary_rows(const ordered_json& summary) {
  NumberRows rows;
  const auto epoch = text_at(summary, "/accuracy/reported_epoch");
  add_accuracy_row(
      rows,
      epoch.empty() ? "Reported accuracy" : fmt::format("Reported accuracy ({} epoch)", epoch),
      value_at(summary, "/accuracy/reported"), nullptr);
  const auto protocols = value_at(summary, "/protocols");
  if (protocols.is_object()) {
    for (const auto& [name, protocol] : protocols.items()) {
      add_accuracy_row(rows, fmt::format("Accuracy, {}", name), value_at(protocol, "/top1"),
                       value_at(protocol, "/top1_interval"));
    }
  }
  add_count_row(rows, "Test samples", value_at(summary, "/samples/test"));
  add_count_row(rows, "Training samples", value_at(summary, "/samples/train"));
  add_count_row(rows, "Classes", value_at(summary, "/classes"));
  add_count_row(rows, "Epochs", value_at(summary, "/epochs"));
  return rows;
}

std::string rows_html(const NumberRows& rows) {
  std::string html = "<table>\n";
  for (const auto& [name, value] : rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", io::escape_html(name),
                        io::escape_html(value));
  }
  return html + "</table>\n";
}

/// Returns the main results of all runs as static HTML, for browsers without JavaScript and for
/// script errors. Missing or unexpected values are omitted.
std::string report_numbers(const ordered_json& data) {
  const auto runs = value_at(data, "/runs");
  std::string html;
  if (!runs.is_array()) return html;
  for (const auto& run : runs) {
    const auto summary = value_at(run, "/summary");
    html += fmt::format("<p><b>{}</b>, {}{}</p>\n", io::escape_html(text_at(run, "/name")),
                        io::escape_html(text_at(run, "/state")),
                        summary.is_object() ? "" : ", no results yet");
    if (summary.is_object()) html += rows_html(summary_rows(summary));
  }
  return html;
}

void replace_placeholder(std::string& html, std::string_view placeholder, std::string_view text) {
  const auto at = html.find(placeholder);
  if (at == std::string::npos) fail_runtime("the report template has no placeholder ", placeholder);
  html.replace(at, placeholder.size(), text);
}

}  // namespace

std::string report_json(const nlohmann::ordered_json& data) {
  // Names come from files and may not be UTF-8.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  const auto text = data.dump(-1, ' ', /*ensure_ascii=*/false, kReplace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    // Escape '<', which occurs only in strings, so that no name can end the element or start a
    // comment.
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string report_policy() {
  return concat("default-src 'none'; script-src 'sha256-", io::base64(io::sha256(report_script())),
                "'; style-src 'sha256-", io::base64(io::sha256(report_style())),
                "'; img-src data: blob:; media-src data: blob:; connect-src 'self'; base-uri "
                "'none'; form-action 'none'");
}

std::string report_html(const nlohmann::ordered_json& data) {
  if (report_script().empty()) {
    fail_runtime(Hint{"rebuild it with web/dist, or with npm installed"},
                 "this program was built without the report page");
  }
  std::string html(report_template());
  // Back to front, so that inserted text is never searched.
  replace_placeholder(html, "{{script}}", report_script());
  replace_placeholder(html, "{{data}}", report_json(data));
  replace_placeholder(html, "{{numbers}}", report_numbers(data));
  replace_placeholder(html, "{{style}}", report_style());
  replace_placeholder(html, "{{title}}", io::escape_html(data.at("title").get<std::string>()));
  replace_placeholder(html, "{{csp}}", report_policy());
  return html;
}

}  // namespace projnce::report
