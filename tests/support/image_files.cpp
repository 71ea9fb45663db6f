#include "tests/support/image_files.h"

#include <gif_lib.h>
#include <tiffio.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/support/scratch_dir.h"

namespace projnce::testing {

namespace {

void need(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(what);
}

int write_gif(GifFileType* file, const GifByteType* data, int count) {
  auto& bytes = *static_cast<Bytes*>(file->UserData);
  bytes.insert(bytes.end(), data, data + count);
  return count;
}

std::vector<int> gif_rows(int height, bool interlaced) {
  std::vector<int> rows;
  const std::vector<std::pair<int, int>> passes =
      interlaced ? std::vector<std::pair<int, int>>{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
                 : std::vector<std::pair<int, int>>{{0, 1}};
  for (const auto& [first, step] : passes) {
    for (int y = first; y < height; y += step) rows.push_back(y);
  }
  return rows;
}

void put_gif_frame(GifFileType* gif, const Image& frame, const GifStyle& style) {
  if (style.transparent >= 0) {
    GraphicsControlBlock control{0, false, 0, style.transparent};
    GifByteType block[4];
    const auto size = static_cast<int>(EGifGCBToExtension(&control, block));
    need(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, size, block) == GIF_OK, "GIF extension");
  }
  need(EGifPutImageDesc(gif, style.left, style.top, frame.width, frame.height, style.interlaced,
                        nullptr) == GIF_OK,
       "GIF frame");
  for (const int y : gif_rows(frame.height, style.interlaced)) {
    std::vector<GifPixelType> row(frame.pixels.begin() + y * frame.width,
                                  frame.pixels.begin() + (y + 1) * frame.width);
    need(EGifPutLine(gif, row.data(), frame.width) == GIF_OK, "GIF row");
  }
}

/// Encodes channel values with 8, 16 or 32 bits.
Bytes widened(const Bytes& values, const TiffStyle& style) {
  Bytes bytes;
  for (const uint8_t value : values) {
    if (style.is_float) {
      const float number = static_cast<float>(value) / 255;
      const auto* raw = reinterpret_cast<const uint8_t*>(&number);
      bytes.insert(bytes.end(), raw, raw + sizeof(number));
    } else {
      append_number(bytes, style.bits == 16 ? value * 257U : value, style.bits / 8);
    }
  }
  return bytes;
}

void set_tiff_fields(TIFF* tiff, const Image& image, const TiffStyle& style) {
  const bool color = image.channels >= 3;
  const int photometric =
      style.cmyk ? PHOTOMETRIC_SEPARATED : (color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<uint32_t>(image.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<uint32_t>(image.height));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, style.is_float ? 32 : style.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
               style.is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, style.compression);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, style.orientation);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
               style.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (image.channels == 4 && !style.cmyk) {
    const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  }
  if (style.tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
  }
}

void write_rows(TIFF* tiff, const Image& image, const TiffStyle& style) {
  const auto channels = static_cast<size_t>(image.channels);
  const auto width = static_cast<size_t>(image.width);
  for (size_t c = 0; c < (style.separate ? channels : 1); ++c) {
    for (size_t y = 0; y < static_cast<size_t>(image.height); ++y) {
      const auto* row = image.pixels.data() + y * width * channels;
      Bytes values(row, row + width * channels);
      if (style.separate) {
        values.clear();
        for (size_t x = 0; x < width; ++x) values.push_back(row[x * channels + c]);
      }
      auto bytes = widened(values, style);
      need(TIFFWriteScanline(tiff, bytes.data(), static_cast<uint32_t>(y),
                             static_cast<uint16_t>(c)) == 1,
           "TIFF row");
    }
  }
}

void write_tiles(TIFF* tiff, const Image& image) {
  const auto channels = static_cast<size_t>(image.channels);
  for (int top = 0; top < image.height; top += 16) {
    for (int left = 0; left < image.width; left += 16) {
      Bytes tile(16 * 16 * channels);
      for (int y = top; y < std::min(top + 16, image.height); ++y) {
        for (int x = left; x < std::min(left + 16, image.width); ++x) {
          const auto* pixel =
              image.pixels.data() + static_cast<size_t>(y * image.width + x) * channels;
          std::copy(pixel, pixel + channels,
                    tile.begin() + ((y - top) * 16 + x - left) * static_cast<int64_t>(channels));
        }
      }
      need(TIFFWriteTile(tiff, tile.data(), static_cast<uint32_t>(left), static_cast<uint32_t>(top),
                         0, 0) > 0,
           "TIFF tile");
    }
  }
}

Bytes read_back(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Bytes encode_bmp(const Image& image) {
  const bool gray = image.channels == 1;
  const auto row = static_cast<uint32_t>(image.width * image.channels + 3) / 4 * 4;
  const uint32_t offset = 54 + (gray ? 1024U : 0U);
  const uint32_t size = offset + row * static_cast<uint32_t>(image.height);
  Bytes bytes = {'B', 'M'};
  for (const uint32_t number : {size, 0U, offset, 40U, static_cast<uint32_t>(image.width),
                                static_cast<uint32_t>(image.height)}) {
    append_number(bytes, number, 4);
  }
  append_number(bytes, 1, 2);
  append_number(bytes, gray ? 8 : 24, 2);
  bytes.resize(54);  // no compression; the other fields are zero
  if (gray) {
    for (uint32_t i = 0; i < 256; ++i) append_number(bytes, i | i << 8 | i << 16, 4);
  }
  for (int y = image.height - 1; y >= 0; --y) {
    for (int x = 0; x < image.width; ++x) {
      const auto* pixel =
          image.pixels.data() + static_cast<size_t>((y * image.width + x) * image.channels);
      for (int c = image.channels - 1; c >= 0; --c) bytes.push_back(pixel[c]);
    }
    bytes.resize((bytes.size() - offset + 3) / 4 * 4 + offset);
  }
  return bytes;
}

Bytes encode_webp(const Image& image) {
  uint8_t* data = nullptr;
  const int stride = image.width * image.channels;
  const auto encode = image.channels == 4 ? &WebPEncodeLosslessRGBA : &WebPEncodeLosslessRGB;
  const size_t size = encode(image.pixels.data(), image.width, image.height, stride, &data);
  need(size > 0, "cannot encode a WebP");
  Bytes bytes(data, data + size);
  WebPFree(data);
  return bytes;
}

Bytes encode_webp_animation(const std::vector<Image>& frames) {
  WebPMux* mux = WebPMuxNew();
  for (const auto& frame : frames) {
    const auto still = encode_webp(frame);
    WebPMuxFrameInfo info{};
    info.bitstream = {still.data(), still.size()};
    info.duration = 100;
    info.id = WEBP_CHUNK_ANMF;
    info.dispose_method = WEBP_MUX_DISPOSE_NONE;
    info.blend_method = WEBP_MUX_BLEND;
    need(WebPMuxPushFrame(mux, &info, 1) == WEBP_MUX_OK, "WebP frame");
  }
  const WebPMuxAnimParams params{0xFFFFFFFF, 0};
  need(WebPMuxSetAnimationParams(mux, &params) == WEBP_MUX_OK, "WebP animation");
  WebPData assembled{};
  need(WebPMuxAssemble(mux, &assembled) == WEBP_MUX_OK, "WebP file");
  Bytes bytes(assembled.bytes, assembled.bytes + assembled.size);
  WebPDataClear(&assembled);
  WebPMuxDelete(mux);
  return bytes;
}

Bytes encode_gif(const std::vector<Image>& frames, const GifStyle& style) {
  Bytes bytes;
  int error = 0;
  GifFileType* gif = EGifOpen(&bytes, &write_gif, &error);
  need(gif != nullptr, "GIF file");
  EGifSetGifVersion(gif, true);
  ColorMapObject* colors = GifMakeMapObject(256, nullptr);
  for (int i = 0; i < 256; ++i) {
    colors->Colors[i] = {static_cast<GifByteType>(i), static_cast<GifByteType>(255 - i), 7};
  }
  const int width = style.canvas_width > 0 ? style.canvas_width : frames[0].width;
  const int height = style.canvas_height > 0 ? style.canvas_height : frames[0].height;
  need(EGifPutScreenDesc(gif, width, height, 8, 0, colors) == GIF_OK, "GIF screen");
  for (const auto& frame : frames) put_gif_frame(gif, frame, style);
  need(EGifCloseFile(gif, &error) == GIF_OK, "GIF end");
  GifFreeMapObject(colors);
  return bytes;
}

Bytes encode_tiff(const Image& image, const TiffStyle& style) {
  const ScratchDir dir;
  const auto path = dir.path() / "a.tif";
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  need(tiff != nullptr, "TIFF file");
  auto page = image;
  for (int i = 0; i < style.pages; ++i) {
    set_tiff_fields(tiff, page, style);
    style.tiled ? write_tiles(tiff, page) : write_rows(tiff, page, style);
    need(TIFFWriteDirectory(tiff) == 1, "TIFF page");
    std::fill(page.pixels.begin(), page.pixels.end(), uint8_t{0});
  }
  TIFFClose(tiff);
  return read_back(path);
}

}  // namespace projnce::testing
