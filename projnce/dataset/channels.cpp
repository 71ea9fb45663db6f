#include "projnce/dataset/channels.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce {

namespace {

class ChannelsDataset : public DatasetWrapper {
 public:
  ChannelsDataset(DatasetPtr base, int channels)
      : DatasetWrapper(std::move(base)), channels_(channels) {}

  Sample decode(int64_t index) const override {
    return with_channels(std::get<Image>(base().decode(index)), channels_);
  }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override {
    return with_channels(std::get<Image>(base().decode_part(index, needs)), channels_);
  }

 private:
  int channels_;
};

std::vector<uint8_t> grey_to_rgb(const std::vector<uint8_t>& grey) {
  std::vector<uint8_t> rgb(3 * grey.size());
  for (size_t i = 0; i < grey.size(); ++i) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = grey[i];
  return rgb;
}

std::vector<uint8_t> rgb_to_grey(const std::vector<uint8_t>& rgb) {
  std::vector<uint8_t> grey(rgb.size() / 3);
  for (size_t i = 0; i < grey.size(); ++i) {
    // The weights in thousandths, rounded to the nearest.
    const int sum = 299 * rgb[3 * i] + 587 * rgb[3 * i + 1] + 114 * rgb[3 * i + 2];
    grey[i] = static_cast<uint8_t>((sum + 500) / 1000);
  }
  return grey;
}

}  // namespace

Image with_channels(Image image, int channels) {
  if (image.channels == channels) return image;
  if (channels != 1 && channels != 3) fail("a picture has 1 or 3 channels, not ", channels);
  image.pixels = channels == 3 ? grey_to_rgb(image.pixels) : rgb_to_grey(image.pixels);
  image.channels = channels;
  return image;
}

DatasetPtr with_channels(DatasetPtr base, int channels) {
  return std::make_shared<ChannelsDataset>(std::move(base), channels);
}

}  // namespace projnce
