#include "projnce/report/suspect_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/draw_samples.h"
#include "projnce/report/lettering.h"

namespace projnce {

namespace {

std::string suspect_class(const SuspectSheet& sheet, int64_t label) {
  if (sheet.class_names.empty()) return std::to_string(label);
  return display_name(sheet.class_names[static_cast<size_t>(label)]);
}

void check_suspect_label(const SuspectSheet& sheet, int64_t label) {
  if (sheet.class_names.empty()) return;
  const auto names = static_cast<int64_t>(sheet.class_names.size());
  if (label < 0 || label >= names) {
    fail("label ", label, " of a suspect has no name: there are names for 0 to ", names - 1);
  }
}

void check_suspects(const SuspectSheet& sheet) {
  for (const auto& suspect : sheet.suspects) {
    if (suspect.index < 0 || suspect.index >= sheet.dataset->size()) {
      fail("suspect ", suspect.index, " is not in the dataset of ", sheet.dataset->size(),
           " samples");
    }
    if (!(suspect.score >= 0 && suspect.score <= 1)) {
      fail("the score of suspect ", suspect.index, " must be in 0 to 1, got ", suspect.score);
    }
    check_suspect_label(sheet, suspect.given);
    check_suspect_label(sheet, suspect.suggested);
  }
}

/// Those with the highest scores, the first first; of equal ones those that come first.
std::vector<Suspect> surest(std::vector<Suspect> suspects, size_t most) {
  std::stable_sort(suspects.begin(), suspects.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  suspects.resize(std::min(suspects.size(), most));
  return suspects;
}

SuspectTile caption_of(const SuspectSheet& sheet, const Suspect& suspect) {
  SuspectTile tile{.picture = {},
                   .sound = {},
                   .sample = display_name(sheet.dataset->sample_name(suspect.index)),
                   .given = suspect_class(sheet, suspect.given),
                   .suggested = suspect_class(sheet, suspect.suggested),
                   .score = fmt::format("{:.1f} %", 100 * suspect.score),
                   .verdict = {}};
  if (suspect.really_wrong) {
    tile.really_wrong = *suspect.really_wrong;
    tile.verdict = tile.really_wrong ? "✓ label was wrong" : "✗ label was right";
  }
  return tile;
}

std::vector<std::string> remarks_on(const SuspectSheet& sheet, size_t shown) {
  const size_t all = sheet.suspects.size();
  if (all == 0) return {"There are no suspects."};
  std::vector<std::string> remarks;
  remarks.push_back(shown < all ? concat("The ", shown, " surest of ",
                                         grouped(static_cast<int64_t>(all)), " suspects.")
                                : "All suspects, the surest first.");
  remarks.back() += " Captions: the given label → the suggested one.";
  auto kind = explain_tiles(sheet.dataset->kind());
  if (!kind.empty()) {
    kind.pop_back();  // the space that it ends in
    remarks.push_back(std::move(kind));
  }
  return remarks;
}

}  // namespace

SuspectTiles make_suspect_tiles(const SuspectSheet& sheet, int size,
                                const DecodeAllOptions& decoding) {
  check_suspects(sheet);
  const auto shown = surest(sheet.suspects, sheet.most);
  std::vector<int64_t> samples;
  for (const auto& suspect : shown) samples.push_back(suspect.index);
  const auto sound = shown.empty() ? SoundDrawing{} : sound_drawing(*sheet.dataset, sheet.seconds);
  auto pictures = draw_samples(sheet.dataset, samples, size, sound, decoding);

  SuspectTiles result{
      display_name(sheet.title), display_name(sheet.summary), {}, remarks_on(sheet, shown.size())};
  auto sounds = make_sound_clips(*sheet.dataset, samples);
  for (size_t i = 0; i < shown.size(); ++i) {
    result.tiles.push_back(caption_of(sheet, shown[i]));
    result.tiles.back().picture = std::move(pictures[i]);
    if (i < sounds.size()) result.tiles.back().sound = std::move(sounds[i]);
  }
  return result;
}

}  // namespace projnce
