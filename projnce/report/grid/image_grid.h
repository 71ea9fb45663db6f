#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/inspect/sample_previews.h"

namespace projnce::report {

/// One sample of a grid: its image and an optional caption.
struct GridTile {
  Image image;                       ///< square, RGBA, opaque or transparent; of any resolution
  dataset::AudioExcerpt audio = {};  ///< playable in HTML
  std::string label = {};
  std::string suggested = {};  ///< suggested label: "label → suggested"
  std::string name = {};       ///< sample name; truncated at the start if too long
  std::string score = {};
  std::string verdict = {};   ///< next to the score
  bool verdict_good = false;  ///< selects the color of the verdict
};

/// A group of tiles, such as the samples of a class.
struct GridSection {
  std::string title;  ///< next to the tiles; empty in all sections if there are no titles
  std::string note = {};
  std::vector<GridTile> tiles;
};

/// Grid of sample images. Texts may contain any bytes.
struct ImageGrid {
  std::string title;
  std::string summary = {};
  std::vector<GridSection> sections;
  std::vector<std::string> remarks = {};  ///< sentences below the grid
  int tile = 160;      ///< side length of a tile in units of about one screen pixel
  size_t columns = 6;  ///< columns of a PNG; HTML wraps to the window
};

/// Side length in pixels of a tile's image for this output file: doubled for PNG, which may be
/// printed or enlarged.
int grid_tile_pixels(const std::filesystem::path& file, int tile);

/// Throws unless the file name ends in .html or .png. `what` describes the file in the message: "a
/// contact sheet".
void check_grid_name(const std::filesystem::path& file, std::string_view what);

/// Returns a self-contained HTML file with playable clips.
std::string grid_html(const ImageGrid& grid);

/// Renders the grid as one RGB image.
Image grid_image(const ImageGrid& grid);

/// Writes the grid atomically, in the format given by the file extension. REQUIRES: check_grid_name
/// accepts the name.
void write_image_grid(const std::filesystem::path& file, const ImageGrid& grid);

}  // namespace projnce::report
