#pragma once

#include <filesystem>
#include <string>

#include "projnce/dataset/inspect/decode_all.h"
#include "projnce/report/grid/image_grid.h"

namespace projnce::report {

struct ContactSheetOptions {
  int rows = 40;         ///< largest number of classes shown
  int columns = 12;      ///< largest number of samples shown of a class
  int tile_pixels = 72;  ///< side of a sample's image
};

/// Samples of a dataset to look at: a section for each class with some of its samples, spread
/// evenly over all of them. Decodes what is shown and nothing else (of sounds, also some to find
/// their usual length). A class that has no training samples is shown with its test samples;
/// samples without classes are one section.
ImageGrid make_contact_sheet(const dataset::DatasetSplit& dataset,
                             const dataset::DecodeAllOptions& decoding,
                             const ContactSheetOptions& options = {});

/// Throws if the name of the file ends neither in .html nor in .png.
void check_contact_sheet_name(const std::filesystem::path& file);

/// Writes the sheet in the format that the name of the file says. The file appears whole or not at
/// all. `title` names the dataset, `summary` is a sentence about it.
void write_contact_sheet(const std::filesystem::path& file, const dataset::DatasetSplit& dataset,
                         const dataset::DecodeAllOptions& decoding, const std::string& title,
                         const std::string& summary);

}  // namespace projnce::report
