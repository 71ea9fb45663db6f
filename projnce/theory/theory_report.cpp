#include <fmt/format.h>

#include <algorithm>

#include "projnce/io/atomic_file.h"
#include "projnce/report/html_document.h"
#include "projnce/theory/theory.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

/// Characters of UTF-8 text.
size_t shown_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string table_text(const TheoryTable& table) {
  std::vector<size_t> widths(table.header.size());
  const auto measure = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  };
  measure(table.header);
  for (const auto& row : table.rows) measure(row);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      text += " " + row[i] + std::string(widths[i] + 1 - shown_width(row[i]), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = "  " + table.caption + "\n" + line(table.header);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

int64_t holding(const TheoryResult& result) {
  return std::count_if(result.claims.begin(), result.claims.end(),
                       [](const Claim& claim) { return claim.holds; });
}

std::string claims_text(const TheoryResult& result) {
  return fmt::format("{} of {} claims hold", holding(result), result.claims.size());
}

HtmlTable html_table(const TheoryTable& table) {
  HtmlTable html{.header = table.header, .rows = {}};
  for (const auto& row : table.rows) {
    std::vector<HtmlCell> cells;
    for (const auto& text : row) cells.push_back({.text = text});
    html.rows.push_back(std::move(cells));
  }
  return html;
}

HtmlTable claims_table(const TheoryResult& result) {
  HtmlTable html{.header = {"claim", "holds"}, .rows = {}};
  for (const auto& claim : result.claims) {
    html.rows.push_back({{.text = claim.text}, {.text = claim.holds ? "yes" : "no"}});
  }
  return html;
}

std::string theory_html(const std::vector<TheoryResult>& results) {
  HtmlDocument document("projnce theory");
  document.header(
      "What the bounds promise, and whether it holds",
      "Experiments with sources whose information is known, computed by projnce itself. "
      "Values in nats; `a ± b` is a mean over independent repetitions and its standard "
      "error.");
  for (const auto& result : results) {
    document.section(result.id + ": " + result.title);
    document.paragraph(result.summary);
    document.figure(to_svg(result.chart), result.chart.title);
    for (const auto& table : result.tables) {
      document.paragraph(table.caption);
      document.table(html_table(table));
    }
    document.folded_table(claims_text(result), claims_table(result));
  }
  return document.finish();
}

}  // namespace

std::string theory_text(const TheoryResult& result) {
  auto text = fmt::format("{}  {}\n", result.id, result.title);
  for (const auto& table : result.tables) text += table_text(table) + "\n";
  for (const auto& claim : result.claims) {
    if (!claim.holds) text += "  VIOLATED: " + claim.text + "\n";
  }
  return text + fmt::format("  {} ({:.1f} s)\n", claims_text(result), result.seconds);
}

ordered_json theory_json(const std::vector<TheoryResult>& results) {
  auto experiments = ordered_json::array();
  int64_t violated = 0;
  for (const auto& result : results) {
    auto tables = ordered_json::array();
    for (const auto& table : result.tables) {
      tables.push_back(
          {{"caption", table.caption}, {"header", table.header}, {"rows", table.rows}});
    }
    auto claims = ordered_json::array();
    for (const auto& claim : result.claims) {
      claims.push_back({{"text", claim.text}, {"holds", claim.holds}});
    }
    violated += result.violated();
    experiments.push_back({{"id", result.id},
                           {"title", result.title},
                           {"tables", tables},
                           {"claims", claims},
                           {"violated", result.violated()},
                           {"seconds", result.seconds}});
  }
  return {{"experiments", experiments}, {"violated", violated}};
}

std::vector<std::filesystem::path> write_theory(const std::vector<TheoryResult>& results,
                                                const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::vector<std::filesystem::path> files = {directory / "theory.html"};
  write_file_atomically(files.front(), theory_html(results));
  for (const auto& result : results) {
    files.push_back(directory / (result.id + ".svg"));
    write_file_atomically(files.back(), to_svg(result.chart));
  }
  return files;
}

}  // namespace projnce
