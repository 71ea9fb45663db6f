#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/inspect/sample_previews.h"

namespace projnce::report {

/// One sample of a grid: its image and, if it has any, lines of text below.
struct GridTile {
  Image image;                    ///< square, RGBA, opaque or transparent; of any resolution
  dataset::SoundClip sound = {};  ///< can be played in an HTML file
  std::string label = {};
  std::string suggested = {};  ///< label: "label → suggested"
  std::string name = {};       ///< of the sample; cut at its start if it is too long
  std::string score = {};
  std::string verdict = {};   ///< beside the score
  bool verdict_good = false;  ///< color of the verdict
};

/// Tiles that belong together, such as the samples of a class.
struct GridSection {
  std::string title;  ///< beside the tiles; "" if all sections have none
  std::string note = {};
  std::vector<GridTile> tiles;
};

/// Images of samples in rows. Texts may hold any bytes.
struct ImageGrid {
  std::string title;
  std::string summary = {};
  std::vector<GridSection> sections;
  std::vector<std::string> remarks = {};  ///< sentences below the grid
  int tile = 160;                         ///< side of a tile in units of about a screen pixel
  size_t columns = 6;                     ///< of a PNG; an HTML file has as many as fit
};

/// Pixels that an image of a tile should have for a file of this name: twice as many for a PNG,
/// which may be printed or enlarged.
int grid_tile_pixels(const std::filesystem::path& file, int tile);

/// Throws if the name of the file ends neither in .html nor in .png; `what` is what it holds:
/// "a contact sheet".
void check_grid_name(const std::filesystem::path& file, std::string_view what);

/// A self-contained HTML file, in which sounds can be played.
std::string grid_html(const ImageGrid& grid);

/// One RGB image.
Image grid_image(const ImageGrid& grid);

/// Writes the grid in the format that the name of the file says. The file appears whole or not at
/// all. REQUIRES: check_grid_name accepts it.
void write_image_grid(const std::filesystem::path& file, const ImageGrid& grid);

}  // namespace projnce::report
