#pragma once

#include <filesystem>
#include <string>

#include "projnce/dataset/inspect/decode_all.h"
#include "projnce/report/grid/image_grid.h"

namespace projnce::report {

struct ContactSheetOptions {
  int rows = 40;         ///< maximum number of classes
  int columns = 12;      ///< maximum number of samples per class
  int tile_pixels = 72;  ///< side length of a sample's image
};

/// Makes an overview of a dataset: one section per class with evenly spaced samples. Decodes only
/// the samples shown (for audio, also some to estimate the typical length). A class without
/// training samples shows test samples; an unlabeled dataset is one section.
ImageGrid make_contact_sheet(const dataset::DatasetSplit& dataset,
                             const dataset::DecodeAllOptions& decoding,
                             const ContactSheetOptions& options = {});

/// Throws unless the file name ends in .html or .png.
void check_contact_sheet_name(const std::filesystem::path& file);

/// Writes the sheet atomically, in the format given by the file extension. `title` names the
/// dataset, `summary` is a sentence about it.
void write_contact_sheet(const std::filesystem::path& file, const dataset::DatasetSplit& dataset,
                         const dataset::DecodeAllOptions& decoding, const std::string& title,
                         const std::string& summary);

}  // namespace projnce::report
