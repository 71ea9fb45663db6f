#include "projnce/pipeline/page_source.h"

#include <nlohmann/json.hpp>

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/html.h"
#include "projnce/io/regular_file.h"
#include "projnce/pipeline/run_directory.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

/// The summaries of the runs, null for one that is not finished.
ordered_json summaries_of(const PageSource::Runs& runs) {
  auto summaries = ordered_json::array();
  for (const auto& run : runs) {
    const auto path = RunPaths{run}.summary();
    summaries.push_back(std::filesystem::exists(path)
                            ? ordered_json::parse(as_text(read_regular_file(path).span()))
                            : ordered_json());
  }
  return summaries;
}

std::string summaries_page(const PageSource::Runs& runs) {
  auto html = html_start("Run", "pre { overflow-x: auto; }") +
              html_heading("Run", "What summary.json says.") + "<pre>" +
              escape_html(summaries_of(runs).dump(2)) + "</pre>\n";
  html += kHtmlEnd;
  return html;
}

}  // namespace

PageSource make_page_source(const Logger& /*logger*/) {
  return {.page = summaries_page,
          .data = [](const PageSource::Runs& runs) { return summaries_of(runs).dump(); }};
}

}  // namespace projnce
