#pragma once

#include <functional>

#include "projnce/core/image.h"

namespace projnce {

/// What somebody is going to look at in a picture.
struct PictureNeed {
  PixelBox box;          ///< inside the picture
  double reduction = 1;  ///< how many pixels, along each side, may become one; at least 1
};

/// Asked once the size of a picture is known; the decoder may deliver more than the answer.
using PictureNeeds = std::function<PictureNeed(int height, int width)>;

}  // namespace projnce
