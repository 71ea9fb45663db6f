#include "projnce/dataset/contact_sheet.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/contact_page.h"
#include "projnce/dataset/draw_samples.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/png_writer.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

constexpr int kGap = 4;                 // pixels between tiles
constexpr size_t kSoundsOfARow = 4;     // that can be played, at most
constexpr size_t kSoundsOnASheet = 40;  // of kLongestClipSeconds: about 1 MB

/// `count` of the numbers, at most, from the first to near the last in even steps.
std::vector<int64_t> spread_evenly(const std::vector<int64_t>& numbers, int count) {
  const size_t chosen = std::min(numbers.size(), static_cast<size_t>(count));
  std::vector<int64_t> result;
  for (size_t i = 0; i < chosen; ++i) result.push_back(numbers[i * numbers.size() / chosen]);
  return result;
}

/// The samples of each class; of a dataset without classes all, as if they were of one.
std::vector<std::vector<int64_t>> samples_by_class(const Dataset& dataset) {
  std::vector<std::vector<int64_t>> samples(std::max<size_t>(dataset.class_names().size(), 1));
  for (int64_t i = 0; i < dataset.size(); ++i) {
    samples.at(static_cast<size_t>(dataset.label(i))).push_back(i);
  }
  return samples;
}

/// The sheet while it is made: which samples go where.
class SheetMaker {
 public:
  SheetMaker(const DatasetSplit& dataset, const DecodeAllOptions& decoding,
             const SheetOptions& options)
      : learned_(dataset.known ? dataset.known : dataset.train),
        test_(dataset.test),
        decoding_(decoding),
        sound_(sound_drawing(*dataset.train, dataset.seconds)) {
    sheet_.kind = dataset.train->kind();
    sheet_.options = options;
  }

  ContactSheet make() {
    choose();
    draw(learned_, from_learned_);
    draw(test_, from_test_);
    return std::move(sheet_);
  }

 private:
  /// Samples of a part, and the tiles that they become.
  struct Choice {
    std::vector<int64_t> samples;
    std::vector<std::pair<size_t, size_t>> places;  // row, column
  };

  void choose() {
    const auto learned = samples_by_class(*learned_);
    const auto test = samples_by_class(*test_);
    const size_t rows =
        std::min(learned.size(), static_cast<size_t>(std::max(sheet_.options.rows, 1)));
    sheet_.hidden_classes = static_cast<int64_t>(learned.size() - rows);
    const auto& names = learned_->class_names();
    for (size_t c = 0; c < rows; ++c) {
      const std::vector<int64_t> none;
      const auto& tested = c < test.size() ? test[c] : none;
      SheetRow row{.name = names.empty() ? "all samples" : names[c],
                   .train = static_cast<int64_t>(learned[c].size()),
                   .test = static_cast<int64_t>(tested.size()),
                   .tiles = {}};
      const bool trained = !learned[c].empty();
      const auto chosen = spread_evenly(trained ? learned[c] : tested, sheet_.options.columns);
      row.tiles.resize(chosen.size());
      add(trained ? from_learned_ : from_test_, c, chosen);
      sheet_.rows.push_back(std::move(row));
    }
  }

  static void add(Choice& choice, size_t row, const std::vector<int64_t>& samples) {
    for (size_t i = 0; i < samples.size(); ++i) {
      choice.samples.push_back(samples[i]);
      choice.places.emplace_back(row, i);
    }
  }

  void draw(const DatasetPtr& part, const Choice& choice) {
    auto tiles = draw_samples(part, choice.samples, sheet_.options.tile, sound_, decoding_);
    for (size_t i = 0; i < tiles.size(); ++i) {
      const auto [row, column] = choice.places[i];
      sheet_.rows[row].tiles[column] = std::move(tiles[i]);
    }
    add_sounds(*part, choice);
  }

  /// Of the first samples of each row, as many as a page has room for.
  void add_sounds(const Dataset& part, const Choice& choice) {
    if (part.kind() != SampleKind::kSound) return;
    const size_t each = std::clamp<size_t>(kSoundsOnASheet / sheet_.rows.size(), 1, kSoundsOfARow);
    std::vector<int64_t> samples;
    std::vector<size_t> rows;
    for (size_t i = 0; i < choice.samples.size(); ++i) {
      if (choice.places[i].second >= each) continue;
      samples.push_back(choice.samples[i]);
      rows.push_back(choice.places[i].first);
    }
    auto clips = make_sound_clips(part, samples);
    for (size_t i = 0; i < clips.size(); ++i) {
      sheet_.rows[rows[i]].sounds.push_back(std::move(clips[i]));
    }
  }

  DatasetPtr learned_;
  DatasetPtr test_;
  const DecodeAllOptions& decoding_;
  SoundDrawing sound_;
  ContactSheet sheet_;
  Choice from_learned_;
  Choice from_test_;
};

/// Lays a tile over what is there, at a place of an RGB or RGBA picture.
void lay_over(const Image& tile, Image& picture, int top, int left) {
  const auto channels = static_cast<size_t>(picture.channels);
  for (int y = 0; y < tile.height; ++y) {
    const auto* from = tile.pixels.data() + static_cast<size_t>(y * tile.width) * 4;
    auto* to =
        picture.pixels.data() + (static_cast<size_t>(top + y) * static_cast<size_t>(picture.width) +
                                 static_cast<size_t>(left)) *
                                    channels;
    for (int x = 0; x < tile.width; ++x, from += 4, to += channels) {
      if (from[3] != 0) std::copy_n(from, channels, to);  // a tile is opaque or not there
    }
  }
}

int extent_of(size_t tiles, int size, int gap) {
  return static_cast<int>(tiles) * (size + gap) - gap;
}

}  // namespace

ContactSheet make_contact_sheet(const DatasetSplit& dataset, const DecodeAllOptions& decoding,
                                const SheetOptions& options) {
  return SheetMaker(dataset, decoding, options).make();
}

Image row_picture(const SheetRow& row) {
  const int size = row.tiles.at(0).height;
  Image picture{size, extent_of(row.tiles.size(), size, kGap), 4, {}};
  picture.pixels.assign(
      static_cast<size_t>(picture.height) * static_cast<size_t>(picture.width) * 4, 0);
  for (size_t i = 0; i < row.tiles.size(); ++i) {
    lay_over(row.tiles[i], picture, 0, static_cast<int>(i) * (size + kGap));
  }
  return picture;
}

Image sheet_picture(const ContactSheet& sheet) {
  const int step = sheet.options.tile + kGap;
  size_t columns = 1;
  for (const auto& row : sheet.rows) columns = std::max(columns, row.tiles.size());
  Image picture{extent_of(sheet.rows.size(), sheet.options.tile, kGap) + 2 * kGap,
                extent_of(columns, sheet.options.tile, kGap) + 2 * kGap,
                3,
                {}};
  picture.pixels.assign(
      static_cast<size_t>(picture.height) * static_cast<size_t>(picture.width) * 3, 255);
  for (size_t r = 0; r < sheet.rows.size(); ++r) {
    const auto& tiles = sheet.rows[r].tiles;
    for (size_t i = 0; i < tiles.size(); ++i) {
      lay_over(tiles[i], picture, kGap + static_cast<int>(r) * step,
               kGap + static_cast<int>(i) * step);
    }
  }
  return picture;
}

void check_sheet_name(const std::filesystem::path& file) {
  if (!has_extension(file.native(), {".png", ".html"})) {
    fail("a contact sheet is a .png or an .html file, not ", printable(file.native()));
  }
}

void write_contact_sheet(const std::filesystem::path& file, const ContactSheet& sheet,
                         const std::string& title, const std::string& summary) {
  check_sheet_name(file);
  if (has_extension(file.native(), {".png"})) {
    const auto png = encode_png(sheet_picture(sheet));
    write_file_atomically(file, std::as_bytes(std::span(png)));
  } else {
    write_file_atomically(file, contact_page(sheet, title, summary));
  }
}

}  // namespace projnce
