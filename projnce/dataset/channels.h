#pragma once

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The picture with 1 (grey) or 3 (red green blue) channels: grey is repeated, colour is weighed as
/// 0.299 R + 0.587 G + 0.114 B.
Image with_channels(Image image, int channels);

/// The same samples, all with that many channels.
DatasetPtr with_channels(DatasetPtr base, int channels);

}  // namespace projnce
