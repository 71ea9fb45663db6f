#include "projnce/dataset/wrappers/wrappers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::dataset {

SubsetDataset::SubsetDataset(DatasetPtr base, std::vector<int64_t> indices)
    : DatasetWrapper(std::move(base)), indices_(std::move(indices)) {
  for (const int64_t index : indices_) {
    if (index < 0 || index >= DatasetWrapper::base().size()) {
      fail("subset index ", index, " is out of range", ", expected 0 to ",
           DatasetWrapper::base().size() - 1);
    }
  }
}

RelabeledDataset::RelabeledDataset(DatasetPtr base, std::vector<int64_t> labels)
    : DatasetWrapper(std::move(base)), labels_(std::move(labels)) {
  if (static_cast<int64_t>(labels_.size()) != DatasetWrapper::base().size()) {
    fail("found ", labels_.size(), " labels, expected one for each of ",
         DatasetWrapper::base().size(), " samples");
  }
  const auto classes = static_cast<int64_t>(DatasetWrapper::base().class_names().size());
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0 || labels_[i] >= classes) {
      fail("sample ", i, " has label ", labels_[i], ", expected 0 to ", classes - 1);
    }
  }
}

ConcatDataset::ConcatDataset(std::vector<DatasetPtr> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) fail("no datasets to concatenate");
  int64_t end = 0;
  for (const auto& part : parts_) {
    if (part->kind() != kind() || part->class_names() != class_names()) {
      fail("datasets of different kinds or classes cannot be concatenated");
    }
    end += part->size();
    ends_.push_back(end);
  }
}

ConcatDataset::Location ConcatDataset::find(int64_t index) const {
  if (index < 0 || index >= size()) {
    fail("sample index ", index, " is out of range", ", expected 0 to ", size() - 1);
  }
  const auto part = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
  const int64_t begin = part == 0 ? 0 : ends_[static_cast<size_t>(part - 1)];
  return {*parts_[static_cast<size_t>(part)], index - begin};
}

int64_t ConcatDataset::label(int64_t index) const {
  const auto [part, at] = find(index);
  return part.label(at);
}

std::string ConcatDataset::sample_name(int64_t index) const {
  const auto [part, at] = find(index);
  return part.sample_name(at);
}

Sample ConcatDataset::decode(int64_t index) const {
  const auto [part, at] = find(index);
  return part.decode(at);
}

Sample ConcatDataset::decode_region(int64_t index, const RequiredRegion& required) const {
  const auto [part, at] = find(index);
  return part.decode_region(at, required);
}

std::string ConcatDataset::content_id(int64_t index) const {
  const auto [part, at] = find(index);
  return part.content_id(at);
}

namespace {

class ChannelsDataset : public DatasetWrapper {
 public:
  ChannelsDataset(DatasetPtr base, int channels)
      : DatasetWrapper(std::move(base)), channels_(channels) {}

  Sample decode(int64_t index) const override {
    return with_channels(std::get<Image>(base().decode(index)), channels_);
  }
  Sample decode_region(int64_t index, const RequiredRegion& required) const override {
    return with_channels(std::get<Image>(base().decode_region(index, required)), channels_);
  }

 private:
  int channels_;
};

std::vector<uint8_t> gray_to_rgb(const std::vector<uint8_t>& gray) {
  std::vector<uint8_t> rgb(3 * gray.size());
  for (size_t i = 0; i < gray.size(); ++i) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = gray[i];
  return rgb;
}

std::vector<uint8_t> rgb_to_gray(const std::vector<uint8_t>& rgb) {
  std::vector<uint8_t> gray(rgb.size() / 3);
  for (size_t i = 0; i < gray.size(); ++i) {
    // Weights in thousandths, rounded to nearest.
    const int sum = 299 * rgb[3 * i] + 587 * rgb[3 * i + 1] + 114 * rgb[3 * i + 2];
    gray[i] = static_cast<uint8_t>((sum + 500) / 1000);
  }
  return gray;
}

}  // namespace

Image with_channels(Image image, int channels) {
  if (image.channels == channels) return image;
  if (channels != 1 && channels != 3) fail("an image has 1 or 3 channels, not ", channels);
  image.pixels = channels == 3 ? gray_to_rgb(image.pixels) : rgb_to_gray(image.pixels);
  image.channels = channels;
  return image;
}

DatasetPtr with_channels(DatasetPtr base, int channels) {
  return std::make_shared<ChannelsDataset>(std::move(base), channels);
}

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
