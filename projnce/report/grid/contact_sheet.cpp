#include "projnce/report/grid/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/inspect/sample_previews.h"
#include "projnce/report/chart/canvas.h"

namespace projnce::report {

namespace {

constexpr int kContactTile = 72;
constexpr size_t kSoundsOfAClass = 4;   // maximum number of playable sounds
constexpr size_t kSoundsOnASheet = 40;  // about 1 MB of kMaxClipSeconds each

/// Returns at most `count` evenly spaced numbers.
std::vector<int64_t> spread_evenly(const std::vector<int64_t>& numbers, int count) {
  const size_t chosen = std::min(numbers.size(), static_cast<size_t>(count));
  std::vector<int64_t> result;
  for (size_t i = 0; i < chosen; ++i) result.push_back(numbers[i * numbers.size() / chosen]);
  return result;
}

/// Returns the samples of each class; an unlabeled dataset has one class.
std::vector<std::vector<int64_t>> samples_by_class(const dataset::Dataset& dataset) {
  std::vector<std::vector<int64_t>> samples(std::max<size_t>(dataset.class_names().size(), 1));
  for (int64_t i = 0; i < dataset.size(); ++i) {
    samples.at(static_cast<size_t>(dataset.label(i))).push_back(i);
  }
  return samples;
}

/// Builds the sheet.
class ContactSheetMaker {
 public:
  ContactSheetMaker(const dataset::DatasetSplit& dataset, const dataset::DecodeAllOptions& decoding,
                    const ContactSheetOptions& options)
      : learned_(dataset.reference ? dataset.reference : dataset.train),
        test_(dataset.test),
        decoding_(decoding),
        options_(options),
        sound_(dataset::sound_drawing(*dataset.train, dataset.seconds)) {
    grid_.tile = kContactTile;
    grid_.columns = static_cast<size_t>(options.columns);
  }

  ImageGrid make() {
    choose();
    draw(learned_, from_learned_);
    draw(test_, from_test_);
    return std::move(grid_);
  }

 private:
  /// Samples of a split and their tiles.
  struct Choice {
    std::vector<int64_t> samples;
    std::vector<std::pair<size_t, size_t>> places;  // section, tile
  };

  void choose() {
    const auto learned = samples_by_class(*learned_);
    const auto test = samples_by_class(*test_);
    const size_t rows = std::min(learned.size(), static_cast<size_t>(std::max(options_.rows, 1)));
    const auto& names = learned_->class_names();
    for (size_t c = 0; c < rows; ++c) {
      const std::vector<int64_t> none;
      const auto& tested = c < test.size() ? test[c] : none;
      GridSection section{.title = names.empty() ? "all samples" : names[c],
                          .note = concat(learned[c].size(), " train, ", tested.size(), " test"),
                          .tiles = {}};
      const bool trained = !learned[c].empty();
      const auto chosen = spread_evenly(trained ? learned[c] : tested, options_.columns);
      section.tiles.resize(chosen.size());
      add(trained ? from_learned_ : from_test_, c, chosen);
      grid_.sections.push_back(std::move(section));
    }
    add_remarks(learned.size() - rows);
  }

  void add_remarks(size_t hidden_classes) {
    grid_.remarks.push_back(concat(dataset::explain_tiles(learned_->kind()), "Up to ",
                                   counted(options_.columns, "evenly spaced sample"),
                                   " per class; a cross marks a sample that "
                                   "cannot be decoded."));
    if (hidden_classes == 0) return;
    grid_.remarks.push_back(
        concat(counted(hidden_classes, "more class is", "more classes are"), " not shown."));
  }

  static void add(Choice& choice, size_t section, const std::vector<int64_t>& samples) {
    for (size_t i = 0; i < samples.size(); ++i) {
      choice.samples.push_back(samples[i]);
      choice.places.emplace_back(section, i);
    }
  }

  void draw(const dataset::DatasetPtr& part, const Choice& choice) {
    auto images =
        dataset::draw_samples(part, choice.samples, options_.tile_pixels, sound_, decoding_);
    for (size_t i = 0; i < images.size(); ++i) tile_at(choice, i).image = std::move(images[i]);
    add_sounds(*part, choice);
  }

  GridTile& tile_at(const Choice& choice, size_t i) {
    const auto [section, tile] = choice.places[i];
    return grid_.sections[section].tiles[tile];
  }

  /// Adds sounds of the first samples of each class, up to the size limit.
  void add_sounds(const dataset::Dataset& part, const Choice& choice) {
    if (part.kind() != SampleKind::kSound) return;
    const size_t each =
        std::clamp<size_t>(kSoundsOnASheet / grid_.sections.size(), 1, kSoundsOfAClass);
    std::vector<int64_t> samples;
    std::vector<size_t> chosen;
    for (size_t i = 0; i < choice.samples.size(); ++i) {
      if (choice.places[i].second >= each) continue;
      samples.push_back(choice.samples[i]);
      chosen.push_back(i);
    }
    auto clips = dataset::make_sound_clips(part, samples);
    for (size_t k = 0; k < clips.size(); ++k) {
      tile_at(choice, chosen[k]).sound = std::move(clips[k]);
    }
  }

  dataset::DatasetPtr learned_;
  dataset::DatasetPtr test_;
  const dataset::DecodeAllOptions& decoding_;
  ContactSheetOptions options_;
  dataset::SoundDrawing sound_;
  ImageGrid grid_;
  Choice from_learned_;
  Choice from_test_;
};

}  // namespace

ImageGrid make_contact_sheet(const dataset::DatasetSplit& dataset,
                             const dataset::DecodeAllOptions& decoding,
                             const ContactSheetOptions& options) {
  return ContactSheetMaker(dataset, decoding, options).make();
}

void check_contact_sheet_name(const std::filesystem::path& file) {
  check_grid_name(file, "a contact sheet");
}

void write_contact_sheet(const std::filesystem::path& file, const dataset::DatasetSplit& dataset,
                         const dataset::DecodeAllOptions& decoding, const std::string& title,
                         const std::string& summary) {
  check_contact_sheet_name(file);
  auto grid =
      make_contact_sheet(dataset, decoding, {.tile_pixels = grid_tile_pixels(file, kContactTile)});
  grid.title = title;
  grid.summary = summary;
  write_image_grid(file, grid);
}

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
  const auto sound = shown.empty() ? dataset::SoundDrawing{}
                                   : dataset::sound_drawing(*sheet.dataset, sheet.seconds);
  auto images = dataset::draw_samples(sheet.dataset, samples, tile_pixels, sound, decoding);
  auto sounds = dataset::make_sound_clips(*sheet.dataset, samples);

  GridSection section;
  for (size_t i = 0; i < shown.size(); ++i) {
    section.tiles.push_back(issue_tile(sheet, shown[i]));
    section.tiles.back().image = std::move(images[i]);
    if (i < sounds.size()) section.tiles.back().sound = std::move(sounds[i]);
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
