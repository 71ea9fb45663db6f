#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/decode_all.h"
#include "projnce/dataset/sound_clips.h"

namespace projnce {

struct SheetOptions {
  int rows = 40;     ///< classes that are shown at most
  int columns = 12;  ///< samples of a class that are shown at most
  int tile = 72;     ///< pixels of a sample's side
};

/// A class and some of its samples, spread evenly over all of them.
struct SheetRow {
  std::string name;
  int64_t train = 0;  ///< samples of the class in the part that classes are learned from
  int64_t test = 0;
  std::vector<Image> tiles;            ///< RGBA, transparent where a picture leaves a tile free
  std::vector<SoundClip> sounds = {};  ///< of the first samples, if they are sounds
};

/// Samples of a dataset to look at, a row for each class.
struct ContactSheet {
  SampleKind kind = SampleKind::kImage;
  std::vector<SheetRow> rows;
  int64_t hidden_classes = 0;  ///< that there was no row for
  SheetOptions options;
};

/// Decodes what is shown and nothing else (sounds: and some to find their usual length). A class
/// that has no sample to train on is shown with its test samples; samples without classes are one
/// row.
ContactSheet make_contact_sheet(const DatasetSplit& dataset, const DecodeAllOptions& decoding,
                                const SheetOptions& options = {});

/// All rows in one picture on white, a gap between tiles.
Image sheet_picture(const ContactSheet& sheet);

/// The tiles of a row side by side, RGBA, transparent between them. REQUIRES: there are some.
Image row_picture(const SheetRow& row);

/// Throws where the name of the sheet's file ends neither in .png nor in .html.
void check_sheet_name(const std::filesystem::path& file);

/// Writes the sheet as its file's name says: one picture, or a page with names and numbers. The
/// file appears whole or not at all. `title` names the dataset, `summary` is a sentence about it.
void write_contact_sheet(const std::filesystem::path& file, const ContactSheet& sheet,
                         const std::string& title, const std::string& summary);

}  // namespace projnce
