#pragma once

#include <cairo.h>

#include "projnce/report/lettering.h"

namespace projnce {

/// Selects the font with widths that grow evenly with its size, whatever the resolution.
void choose_font(cairo_t* cairo, const Font& font);

}  // namespace projnce
