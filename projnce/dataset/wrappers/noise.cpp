#include "projnce/dataset/wrappers/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::dataset {

namespace {

class NoisyImages : public DatasetWrapper {
 public:
  NoisyImages(DatasetPtr images, const FeatureNoiseOptions& options)
      : DatasetWrapper(std::move(images)), options_(options) {}

  Sample decode(int64_t index) const override {
    auto image = std::get<Image>(base().decode(index));
    Random random(derive_seed(options_.seed, static_cast<uint64_t>(index)));
    if (!options_.clip) image.noise.resize(image.pixels.size());
    for (size_t i = 0; i < image.pixels.size(); ++i) {
      const auto noise = static_cast<int>(std::lround(options_.deviation * random.normal()));
      if (options_.clip) {
        image.pixels[i] = static_cast<uint8_t>(std::clamp(image.pixels[i] + noise, 0, 255));
      } else {
        constexpr int kMaxNoise = std::numeric_limits<int16_t>::max();
        image.noise[i] = static_cast<int16_t>(std::clamp(noise, -kMaxNoise, kMaxNoise));
      }
    }
    return image;
  }

 private:
  FeatureNoiseOptions options_;
};

}  // namespace

DatasetPtr with_feature_noise(DatasetPtr images, const FeatureNoiseOptions& options) {
  if (images->kind() != SampleKind::kImage) {
    fail("[dataset.feature_noise] needs images; this dataset has other samples");
  }
  return std::make_shared<NoisyImages>(std::move(images), options);
}

namespace {

/// Uniform in [0, count): the second number of `row`.
int64_t draw(uint64_t seed, uint64_t row, int64_t count) {
  return static_cast<int64_t>(uniform_at(seed, 2 * row + 2) * static_cast<double>(count));
}

void check_labels(const std::vector<int64_t>& labels, int64_t num_classes) {
  if (num_classes < 2) fail("label noise needs at least two classes, found ", num_classes);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= num_classes) {
      fail("sample ", i, " has label ", labels[i], ", expected 0 to ", num_classes - 1);
    }
  }
}

/// Fisher-Yates shuffle of the selected rows.
void permute(std::vector<int64_t>& labels, const std::vector<size_t>& selected, uint64_t seed) {
  for (size_t t = selected.size(); t-- > 1;) {
    const auto j = static_cast<size_t>(draw(seed, selected[t], static_cast<int64_t>(t) + 1));
    std::swap(labels[selected[t]], labels[selected[j]]);
  }
}

}  // namespace

std::vector<std::pair<std::string, LabelNoiseMode>> label_noise_modes() {
  return {{"uniform_other", LabelNoiseMode::kUniformOther},
          {"uniform_all", LabelNoiseMode::kUniformAll},
          {"permute_subset", LabelNoiseMode::kPermuteSubset}};
}

std::vector<int64_t> add_label_noise(std::vector<int64_t> labels, int64_t num_classes,
                                     const LabelNoiseOptions& options) {
  check_labels(labels, num_classes);
  std::vector<size_t> selected;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (uniform_at(options.seed, 2 * i + 1) < options.rate) selected.push_back(i);
  }
  if (options.mode == LabelNoiseMode::kPermuteSubset) {
    permute(labels, selected, options.seed);
    return labels;
  }
  for (const size_t i : selected) {
    if (options.mode == LabelNoiseMode::kUniformAll) {
      labels[i] = draw(options.seed, i, num_classes);
    } else {
      const int64_t other = draw(options.seed, i, num_classes - 1);
      labels[i] = other >= labels[i] ? other + 1 : other;  // skips the label itself
    }
  }
  return labels;
}

}  // namespace projnce::dataset
