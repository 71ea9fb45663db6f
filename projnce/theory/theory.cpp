#include "projnce/theory/theory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/report/page/html_document.h"
#include "projnce/report/text_table.h"

namespace projnce::theory {

namespace {

struct TheoryEntry {
  std::string_view id;
  TheoryResult (*run)(const TheoryOptions&);
  bool slow = false;
};

constexpr std::array kTheory = {
    TheoryEntry{"T1", infonce_convergence}, TheoryEntry{"T2", optimal_critic},
    TheoryEntry{"T3", adjustment_term},     TheoryEntry{"T4", supcon_and_projnce},
    TheoryEntry{"T5", extreme_sources},     TheoryEntry{"T6", kernel_regression},
    TheoryEntry{"T7", effect_of_ratio},     TheoryEntry{"T8", trained_encoders, /*slow=*/true}};

bool is_requested(const TheoryEntry& entry, const TheoryRequest& request) {
  if (request.only.empty()) return request.all || !entry.slow;
  return std::find(request.only.begin(), request.only.end(), entry.id) != request.only.end();
}

}  // namespace

std::vector<std::string> experiment_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : kTheory) ids.emplace_back(entry.id);
  return ids;
}

void check_request(const TheoryRequest& request) {
  const auto known = experiment_ids();
  for (const auto& id : request.only) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      fail_unknown("experiment", id, known);
    }
  }
}

std::vector<TheoryResult> run_theory(const TheoryRequest& request,
                                     const std::function<void(const TheoryResult&)>& finished) {
  check_request(request);
  std::vector<TheoryResult> results;
  for (const auto& entry : kTheory) {
    if (!is_requested(entry, request)) continue;
    const auto started = std::chrono::steady_clock::now();
    auto result = entry.run(request.options);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    finished(result);
    results.push_back(std::move(result));
  }
  return results;
}

int64_t violated_claims(const std::vector<TheoryResult>& results) {
  int64_t violated = 0;
  for (const auto& result : results) violated += result.violated();
  return violated;
}

int exit_status(const std::vector<TheoryResult>& results) {
  return violated_claims(results) > 0 ? 1 : 0;
}

namespace {

using nlohmann::ordered_json;

std::string table_text(const TheoryTable& table) {
  std::vector<std::vector<std::string>> rows = {table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return table.caption + "\n" + report::text_table(rows);
}

std::string claims_text(const TheoryResult& result) {
  const auto count = static_cast<int64_t>(result.claims.size());
  return fmt::format("{} of {} claims hold", count - result.violated(), count);
}

report::HtmlTable html_table(const TheoryTable& table) {
  report::HtmlTable html{.header = table.header, .rows = {}};
  for (const auto& row : table.rows) {
    std::vector<report::HtmlCell> cells;
    for (const auto& text : row) cells.push_back({.text = text});
    html.rows.push_back(std::move(cells));
  }
  return html;
}

report::HtmlTable claims_table(const TheoryResult& result) {
  report::HtmlTable html{.header = {"claim", "holds"}, .rows = {}};
  for (const auto& claim : result.claims) {
    html.rows.push_back({{.text = claim.text}, {.text = claim.holds ? "yes" : "no"}});
  }
  return html;
}

report::HtmlTable overview_table(const std::vector<TheoryResult>& results) {
  report::HtmlTable html{.header = {"experiment", "claims", "violated"}, .rows = {}};
  for (const auto& result : results) {
    html.rows.push_back({{.text = result.id + ": " + result.title},
                         {.text = std::to_string(result.claims.size())},
                         {.text = std::to_string(result.violated())}});
  }
  return html;
}

std::string theory_html(const std::vector<TheoryResult>& results, const std::string& command) {
  report::HtmlDocument document("Information bounds: experiments");
  document.header(
      "Information bounds: experiments",
      "Experiments on sources whose information I(Z;C) is known, computed with the functions of "
      "projnce. Values are in nats; a ± b is the mean over independent repetitions and its "
      "standard error. A value is certified if its expectation is at most I(Z;C). An inequality "
      "counts as violated beyond 4 standard errors plus 0.001 nats.");
  document.code(command);
  document.table(overview_table(results));
  for (const auto& result : results) {
    document.section(result.id + ": " + result.title);
    document.paragraph(result.summary);
    document.figure(report::to_svg(result.chart), /*caption=*/{});
    for (const auto& table : result.tables) {
      document.paragraph(table.caption);
      document.table(html_table(table));
    }
    document.folded_table(claims_text(result), claims_table(result));
  }
  return document.finish();
}

ordered_json tables_json(const TheoryResult& result) {
  auto tables = ordered_json::array();
  for (const auto& table : result.tables) {
    tables.push_back({{"caption", table.caption}, {"header", table.header}, {"rows", table.rows}});
  }
  return tables;
}

ordered_json series_json(const report::LineChart& chart) {
  auto all = ordered_json::array();
  for (const auto& series : chart.series) {
    auto points = ordered_json::array();
    for (const auto& point : series.points) {
      points.push_back({{"x", point.x}, {"y", point.y}, {"se", point.error}});
    }
    all.push_back({{"name", series.name}, {"points", points}});
  }
  return all;
}

ordered_json claims_json(const TheoryResult& result) {
  auto claims = ordered_json::array();
  for (const auto& claim : result.claims) {
    claims.push_back({{"text", claim.text}, {"holds", claim.holds}});
  }
  return claims;
}

}  // namespace

std::string theory_text(const TheoryResult& result) {
  auto text = fmt::format("{}: {}\n", result.id, result.title);
  for (const auto& table : result.tables) text.append("\n").append(table_text(table));
  text += '\n';
  for (const auto& claim : result.claims) {
    if (!claim.holds) text.append("VIOLATED: ").append(claim.text).append("\n");
  }
  return text + fmt::format("{} ({:.1f} s)\n", claims_text(result), result.seconds);
}

ordered_json theory_json(const std::vector<TheoryResult>& results) {
  auto experiments = ordered_json::array();
  for (const auto& result : results) {
    experiments.push_back({{"id", result.id},
                           {"title", result.title},
                           {"summary", result.summary},
                           {"tables", tables_json(result)},
                           {"series", series_json(result.chart)},
                           {"claims", claims_json(result)},
                           {"violated", result.violated()},
                           {"seconds", result.seconds}});
  }
  return {{"experiments", experiments}, {"violated", violated_claims(results)}};
}

void make_output_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && std::filesystem::is_directory(directory, error)) return;
  fail("cannot make the output directory ", directory.string(), ": ",
       error ? error.message() : "a file has that name");
}

std::vector<std::filesystem::path> write_theory(const std::vector<TheoryResult>& results,
                                                const std::string& command,
                                                const std::filesystem::path& directory) {
  make_output_directory(directory);
  std::vector<std::filesystem::path> files = {directory / "theory.html"};
  io::write_file_atomically(files.front(), theory_html(results, command));
  for (const auto& result : results) {
    files.push_back(directory / (result.id + ".svg"));
    io::write_file_atomically(files.back(), report::to_svg(result.chart));
  }
  return files;
}

}  // namespace projnce::theory
