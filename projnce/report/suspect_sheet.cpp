#include "projnce/report/suspect_sheet.h"

#include <span>

#include "projnce/core/error.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/png_writer.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"
#include "projnce/report/suspect_page.h"
#include "projnce/report/suspect_picture.h"

namespace projnce {

namespace {

constexpr int kPageTilePixels = 160;

}  // namespace

void check_suspect_sheet_name(const std::filesystem::path& file) {
  if (!has_extension(file.native(), {".png", ".html"})) {
    fail("a sheet of suspects is a .png or an .html file, not ", printable(file.native()));
  }
}

void write_suspect_sheet(const std::filesystem::path& file, const SuspectSheet& sheet,
                         const DecodeAllOptions& decoding) {
  check_suspect_sheet_name(file);
  if (has_extension(file.native(), {".png"})) {
    const auto tiles = make_suspect_tiles(sheet, kSuspectTilePixels, decoding);
    const auto png = encode_png(suspect_picture(tiles));
    write_file_atomically(file, std::as_bytes(std::span(png)));
  } else {
    write_file_atomically(file, suspect_page(make_suspect_tiles(sheet, kPageTilePixels, decoding)));
  }
}

}  // namespace projnce
