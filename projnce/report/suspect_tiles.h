#pragma once

#include <string>
#include <vector>

#include "projnce/core/image.h"
#include "projnce/dataset/sound_clips.h"
#include "projnce/report/suspect_sheet.h"

namespace projnce {

/// A suspect, ready to be drawn. Texts are fit for one line.
struct SuspectTile {
  Image picture;         ///< RGBA
  SoundClip sound = {};  ///< of a sound, as long as there is room on the sheet
  std::string sample;
  std::string given;
  std::string suggested;
  std::string score;
  std::string verdict;  ///< whether the label was really wrong; empty where that is not known
  bool really_wrong = false;
};

/// What a sheet shows, in its order, and the words around it.
struct SuspectTiles {
  std::string title;
  std::string summary;
  std::vector<SuspectTile> tiles;
  std::vector<std::string> remarks;  ///< sentences for the foot of the sheet
};

/// Checks the sheet and draws its samples as tiles of size x size pixels.
SuspectTiles make_suspect_tiles(const SuspectSheet& sheet, int size,
                                const DecodeAllOptions& decoding);

}  // namespace projnce
