#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "projnce/core/toml.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/open_dataset.h"
#include "tests/support/decoded_image.h"
#include "tests/support/scratch_dir.h"

// Subsets of real datasets in their official formats, each as an archive and extracted.

namespace projnce::dataset {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kPacks = "../../shared/data";

DatasetSplit open_pack(const std::string& name, const std::filesystem::path& root,
                       const std::string& fields = {}) {
  const auto table = parse_toml(
      concat("name = '", name, "'\nroot = '", root.native(), "'\n", fields), "packs_test");
  return open_unchecked_dataset(parse_dataset_options(table, /*seed=*/1), {.seed = 1});
}

std::vector<int> pixel_at(const Dataset& dataset, int64_t index, int row, int column) {
  const auto image = testing::decoded_image(dataset, index);
  const auto pixel = image.pixels.begin() + (row * image.width + column) * image.channels;
  return {pixel, pixel + image.channels};
}

/// Values of a clip as 16-bit integers.
std::vector<int> samples_at(const Dataset& dataset, const std::string& name, size_t begin,
                            size_t count) {
  for (int64_t i = 0; i < dataset.size(); ++i) {
    if (dataset.sample_name(i) != name) continue;
    const auto clip = std::get<Clip>(dataset.decode(i));
    std::vector<int> values;
    for (size_t k = begin; k < begin + count; ++k) {
      values.push_back(static_cast<int>(std::lround(clip.samples.at(k) * 32768)));
    }
    return values;
  }
  return {};
}

class Packs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kPacks)) GTEST_SKIP() << kPacks << " is not on this machine";
  }

  /// The archive and the extracted folder.
  std::vector<std::filesystem::path> both_forms(const std::string& pack) {
    const auto archive = kPacks / pack;
    const auto command = "tar xzf " + archive.string() + " -C " + dir_.path().string();
    EXPECT_EQ(std::system(command.c_str()), 0);
    return {archive, dir_.path()};
  }

  testing::ScratchDir dir_;
};

TEST_F(Packs, Cifar10) {
  for (const auto& root : both_forms("cifar10-bin-12k.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "cifar10");
    const auto split = open_pack("cifar10", root);
    EXPECT_THAT(class_counts(*split.train), Each(1000));
    EXPECT_THAT(class_counts(*split.test), Each(200));
    EXPECT_EQ(split.train->class_names()[9], "truck");
    EXPECT_EQ(split.train->label(0), 7);
    EXPECT_THAT(pixel_at(*split.train, 0, 0, 0), ElementsAre(92, 102, 127));
    EXPECT_THAT(pixel_at(*split.train, 0, 5, 20), ElementsAre(60, 64, 73));
    EXPECT_THAT(split.remarks, Contains("a subset: 10000 of the official 50000 training samples"));
  }
}

TEST_F(Packs, Cifar10AsImages) {
  for (const auto& root : both_forms("cifar10-images.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), std::nullopt);
    const auto split = open_pack("folder", root);
    EXPECT_THAT(class_counts(*split.train), Each(5000));
    EXPECT_THAT(class_counts(*split.test), Each(1000));
    EXPECT_EQ(split.train->class_names().size(), 10U);
    EXPECT_EQ(testing::decoded_image(*split.train, 49'999).width, 32);
  }
}

TEST_F(Packs, Cifar100) {
  for (const auto& root : both_forms("cifar100-bin-2000.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "cifar100");
    const auto split = open_pack("cifar100", root);
    EXPECT_THAT(class_counts(*split.train), Each(16));
    EXPECT_THAT(class_counts(*split.test), Each(4));
    EXPECT_EQ(split.train->label(0), 50);
    EXPECT_EQ(split.train->class_names()[50], "mouse");
    EXPECT_THAT(pixel_at(*split.train, 0, 0, 0), ElementsAre(50, 56, 67));
    EXPECT_THAT(pixel_at(*split.train, 0, 5, 20), ElementsAre(22, 21, 21));
    const auto coarse = open_pack("cifar100", root, "coarse = true");
    EXPECT_EQ(coarse.train->label(0), 16);
    EXPECT_EQ(coarse.train->class_names()[16], "small_mammals");
  }
}

TEST_F(Packs, Stl10) {
  for (const auto& root : both_forms("stl10-bin-real-2c.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "stl10");
    const auto split = open_pack("stl10", root);
    EXPECT_EQ(split.train->size(), 50);
    EXPECT_EQ(split.test->size(), 20);
    EXPECT_EQ(split.train->class_names()[static_cast<size_t>(split.train->label(0))], "car");
    EXPECT_THAT(pixel_at(*split.train, 0, 0, 0), ElementsAre(0, 0, 0));
    EXPECT_THAT(pixel_at(*split.train, 0, 10, 60), ElementsAre(51, 62, 67));
    const auto unlabeled = open_pack("stl10", root, "train_split = 'unlabeled'");
    EXPECT_EQ(unlabeled.train->size(), 20);
    EXPECT_EQ(unlabeled.reference->size(), 50);
    EXPECT_EQ(open_pack("stl10", root, "fold = 3").train->size(), 10);
  }
}

TEST_F(Packs, Stl10StandIn) {
  for (const auto& root : both_forms("stl10-bin-standin-10c.tar.gz")) {
    const auto split = open_pack("stl10", root);
    EXPECT_THAT(class_counts(*split.train), Each(30));
    EXPECT_THAT(class_counts(*split.test), Each(10));
  }
}

TEST_F(Packs, TinyImagenet) {
  for (const auto& root : both_forms("tiny-imagenet-20c.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "tiny-imagenet");
    const auto split = open_pack("tiny-imagenet", root);
    EXPECT_EQ(split.train->class_names().size(), 20U);
    EXPECT_THAT(class_counts(*split.train), Each(80));
    EXPECT_EQ(split.test->size(), 240);
    EXPECT_THAT(split.train->class_names(), Contains("tarantula"));
    EXPECT_EQ(testing::decoded_image(*split.test, 239).width, 64);
  }
}

TEST_F(Packs, Imagenet) {
  for (const auto& root : both_forms("imagenette-10c.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "imagenet");
    const auto split = open_pack("imagenet", root);
    EXPECT_THAT(class_counts(*split.train), Each(14));
    EXPECT_THAT(class_counts(*split.test), Each(4));
    EXPECT_EQ(split.train->class_names()[0], "tench");
  }
}

TEST_F(Packs, Caltech101AsAFolder) {
  for (const auto& root : both_forms("caltech101-10c.tar.gz")) {
    const auto split = open_pack("folder", root);
    EXPECT_EQ(split.train->class_names().size(), 11U) << "ten classes and BACKGROUND_Google";
    EXPECT_EQ(split.train->size() + split.test->size(), 136);
  }
}

TEST_F(Packs, Caltech256) {
  for (const auto& root : both_forms("caltech256-standin-7c.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "caltech256");
    const auto split = open_pack("caltech256", root);
    EXPECT_EQ(split.train->class_names().size(), 6U);
    EXPECT_EQ(split.train->class_names()[0], "helicopter-101");
    EXPECT_EQ(split.train->size() + split.test->size(), 36);
    EXPECT_EQ(open_pack("caltech256", root, "clutter = true").train->class_names()[6], "clutter");
  }
}

TEST_F(Packs, Food101) {
  for (const auto& root : both_forms("food101-3c.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "food101");
    const auto split = open_pack("food101", root);
    EXPECT_THAT(class_counts(*split.train), ElementsAre(30, 30, 30));
    EXPECT_THAT(class_counts(*split.test), ElementsAre(10, 10, 10));
    EXPECT_EQ(split.train->class_names()[0], "macaroni_and_cheese");
  }
}

TEST_F(Packs, SpokenDigits) {
  for (const auto& root : both_forms("fsdd.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "speech-commands");
    const auto split = open_pack("speech-commands", root);
    EXPECT_EQ(split.train->size(), 2400);
    EXPECT_THAT(class_counts(*split.test), Each(30));
    EXPECT_THAT(samples_at(*split.test, "zero/jackson_nohash_0.wav", 0, 5),
                ElementsAre(-369, -431, -475, -543, -571));
    const auto speakers = open_pack("speech-commands", root, "lists = 'speaker_disjoint'");
    EXPECT_EQ(speakers.train->size(), 2000);
    EXPECT_EQ(speakers.test->size(), 500);
    EXPECT_THAT(speakers.test->sample_name(0), HasSubstr("theo"));
  }
}

TEST_F(Packs, SpeechCommands) {
  for (const auto& root : both_forms("speechcommands-v2-10w.tar.gz")) {
    const auto split = open_pack("speech-commands", root);
    EXPECT_EQ(split.train->size(), 116);
    EXPECT_EQ(split.test->size(), 23);
    EXPECT_EQ(open_pack("speech-commands", root, "judge_by = 'validation'").test->size(), 31);
    EXPECT_EQ(split.train->class_names().size(), 10U);
    ASSERT_NE(split.background, nullptr);
    EXPECT_EQ(std::get<Clip>(split.background->decode(0)).samples.size(), 64'000U);
    const std::string name = "yes/0cb74144_nohash_3.wav";
    bool found = false;
    const auto validation = open_pack("speech-commands", root, "evaluate_on = 'validation'").test;
    for (const auto& part : {split.train, split.test, validation}) {
      const auto values = samples_at(*part, name, 8000, 5);
      if (values.empty()) continue;
      EXPECT_THAT(values, ElementsAre(57, -309, 196, 216, 147));
      found = true;
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(Packs, CremaD) {
  for (const auto& root : both_forms("cremad-standin-ravdess.tar.gz")) {
    EXPECT_EQ(recognize_dataset(root), "crema-d");
    const auto split = open_pack("crema-d", root, "test_speakers = ['1011', '1014']");
    EXPECT_EQ(split.train->size(), 48);
    EXPECT_THAT(class_counts(*split.test), Each(4));
    EXPECT_EQ(std::get<Clip>(split.test->decode(0)).rate, 16'000);
  }
}

}  // namespace
}  // namespace projnce::dataset
