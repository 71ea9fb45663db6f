#include "projnce/dataset/feature_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce {

namespace {

class NoisyPictures : public DatasetWrapper {
 public:
  NoisyPictures(DatasetPtr pictures, const FeatureNoiseOptions& options)
      : DatasetWrapper(std::move(pictures)), options_(options) {}

  Sample decode(int64_t index) const override {
    auto image = std::get<Image>(base().decode(index));
    Random random(derive_seed(options_.seed, static_cast<uint64_t>(index)));
    if (!options_.clip) image.noise.resize(image.pixels.size());
    for (size_t i = 0; i < image.pixels.size(); ++i) {
      const auto noise = static_cast<int>(std::lround(options_.deviation * random.normal()));
      if (options_.clip) {
        image.pixels[i] = static_cast<uint8_t>(std::clamp(image.pixels[i] + noise, 0, 255));
      } else {
        constexpr int kMost = std::numeric_limits<int16_t>::max();
        image.noise[i] = static_cast<int16_t>(std::clamp(noise, -kMost, kMost));
      }
    }
    return image;
  }

 private:
  FeatureNoiseOptions options_;
};

}  // namespace

DatasetPtr with_feature_noise(DatasetPtr pictures, const FeatureNoiseOptions& options) {
  if (pictures->kind() != SampleKind::kImage) {
    fail("[dataset.feature_noise] is for pictures; this dataset holds other samples");
  }
  return std::make_shared<NoisyPictures>(std::move(pictures), options);
}

}  // namespace projnce
