#include "projnce/report/grid/label_issue_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/inspect/sample_previews.h"
#include "projnce/report/chart/lettering.h"

namespace projnce::report {

namespace {

constexpr int kIssueTile = 160;
constexpr size_t kIssueColumns = 6;

std::string issue_class(const LabelIssueSheet& sheet, int64_t label) {
  if (sheet.class_names.empty()) return std::to_string(label);
  return sheet.class_names[static_cast<size_t>(label)];
}

void check_issue_label(const LabelIssueSheet& sheet, int64_t label) {
  if (sheet.class_names.empty()) return;
  const auto names = static_cast<int64_t>(sheet.class_names.size());
  if (label < 0 || label >= names) {
    fail("label ", label, " of a label issue has no name: there are names for 0 to ", names - 1);
  }
}

void check_issues(const LabelIssueSheet& sheet) {
  for (const auto& issue : sheet.issues) {
    if (issue.index < 0 || issue.index >= sheet.dataset->size()) {
      fail("sample ", issue.index, " of a label issue is not in the dataset of ",
           counted(sheet.dataset->size(), "sample"));
    }
    if (!(issue.score >= 0 && issue.score <= 1)) {
      fail("the score of sample ", issue.index, " must be in 0 to 1, got ", issue.score);
    }
    check_issue_label(sheet, issue.given);
    check_issue_label(sheet, issue.suggested);
  }
}

/// Returns the issues with the highest scores in descending order; stable for equal scores.
std::vector<LabelIssue> highest_scores(std::vector<LabelIssue> issues, size_t most) {
  std::stable_sort(issues.begin(), issues.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  issues.resize(std::min(issues.size(), most));
  return issues;
}

GridTile issue_tile(const LabelIssueSheet& sheet, const LabelIssue& issue) {
  GridTile tile{
      .image = {},
      .label = issue_class(sheet, issue.given),
      .suggested = issue_class(sheet, issue.suggested),
      .name = sheet.dataset->sample_name(issue.index),
      .score = fmt::format("{:.1f} %", 100 * issue.score),
  };
  if (issue.is_mislabeled) {
    tile.verdict_good = *issue.is_mislabeled;
    tile.verdict = tile.verdict_good ? "✓ mislabeled" : "✗ label is correct";
  }
  return tile;
}

std::vector<std::string> issue_remarks(const LabelIssueSheet& sheet, size_t shown) {
  const size_t all = sheet.issues.size();
  if (all == 0) return {"No label issues."};
  std::vector<std::string> remarks;
  remarks.push_back(shown < all ? concat("The ", counted(shown, "highest score"), " of ",
                                         grouped(static_cast<int64_t>(all)), " label issues.")
                                : "All label issues, highest scores first.");
  remarks.back() += " Captions: given label → suggested label.";
  auto kind = dataset::explain_tiles(sheet.dataset->kind());
  if (!kind.empty()) {
    kind.pop_back();  // trailing space
    remarks.push_back(std::move(kind));
  }
  return remarks;
}

}  // namespace

ImageGrid make_label_issue_grid(const LabelIssueSheet& sheet, int tile_pixels,
                                const dataset::DecodeAllOptions& decoding) {
  check_issues(sheet);
  const auto shown = highest_scores(sheet.issues, sheet.most);
  std::vector<int64_t> samples;
  for (const auto& issue : shown) samples.push_back(issue.index);
  const auto audio = shown.empty() ? dataset::AudioDrawing{}
                                   : dataset::audio_drawing(*sheet.dataset, sheet.seconds);
  auto images = dataset::draw_samples(sheet.dataset, samples, tile_pixels, audio, decoding);
  auto clips = dataset::make_audio_excerpts(*sheet.dataset, samples);

  GridSection section;
  for (size_t i = 0; i < shown.size(); ++i) {
    section.tiles.push_back(issue_tile(sheet, shown[i]));
    section.tiles.back().image = std::move(images[i]);
    if (i < clips.size()) section.tiles.back().audio = std::move(clips[i]);
  }
  return {.title = sheet.title.empty() ? "Label issues" : sheet.title,
          .summary = sheet.summary,
          .sections = {std::move(section)},
          .remarks = issue_remarks(sheet, shown.size()),
          .tile = kIssueTile,
          .columns = kIssueColumns};
}

void check_label_issue_sheet_name(const std::filesystem::path& file) {
  check_grid_name(file, "a sheet of label issues");
}

void write_label_issue_sheet(const std::filesystem::path& file, const LabelIssueSheet& sheet,
                             const dataset::DecodeAllOptions& decoding) {
  check_label_issue_sheet_name(file);
  write_image_grid(file,
                   make_label_issue_grid(sheet, grid_tile_pixels(file, kIssueTile), decoding));
}

}  // namespace projnce::report
