#include "projnce/augment/pixel_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::augment {
namespace {

using ::testing::HasSubstr;

FloatImage from_json(const nlohmann::json& planes) {
  FloatImage image;
  image.reshape(static_cast<int>(planes.size()), static_cast<int>(planes[0].size()),
                static_cast<int>(planes[0][0].size()));
  float* out = image.plane(0);
  for (const auto& plane : planes) {
    for (const auto& row : plane) {
      for (const auto& value : row) *out++ = value.get<float>();
    }
  }
  return image;
}

FloatImage random_float_image(int channels, int height, int width) {
  FloatImage image;
  image.reshape(channels, height, width);
  Random random(7);
  const size_t count = static_cast<size_t>(channels) * image.plane_size();
  for (size_t i = 0; i < count; ++i) image.plane(0)[i] = static_cast<float>(random.uniform());
  return image;
}

void expect_near(const FloatImage& actual, const FloatImage& expected, double tolerance) {
  ASSERT_EQ(actual.channels(), expected.channels());
  ASSERT_EQ(actual.plane_size(), expected.plane_size());
  const size_t count = static_cast<size_t>(actual.channels()) * actual.plane_size();
  for (size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(actual.plane(0)[i], expected.plane(0)[i], tolerance) << "value " << i;
  }
}

TEST(PixelOps, MatchTheGoldenFile) {
  const auto golden = nlohmann::json::parse(std::ifstream("golden/augment_ops.json"));
  ASSERT_EQ(golden["cases"].size(), 9U);
  for (const auto& sample : golden["cases"]) {
    SCOPED_TRACE(sample["id"].get<std::string>());
    auto image = from_json(sample["inputs"]["image_chw"]);
    apply_pixel_op(sample["params"]["op"], sample["params"]["factor"], image);
    expect_near(image, from_json(sample["expected"]["image_chw"]), sample["tol"]["abs"]);
  }
}

TEST(PixelOps, KeepTheImageWithNeutralFactors) {
  const auto original = random_float_image(3, 9, 31);
  for (const auto& [name, factor] :
       {std::pair{"brightness", 1.0}, {"contrast", 1.0}, {"saturation", 1.0}, {"hue", 0.0}}) {
    SCOPED_TRACE(name);
    auto image = original;
    apply_pixel_op(name, factor, image);
    expect_near(image, original, 1e-6);
  }
}

TEST(PixelOps, FullHueRotationsAreTheIdentity) {
  const auto original = random_float_image(3, 8, 8);
  for (const double turns : {-2.0, -1e-12, 1.0, 5.0}) {
    auto image = original;
    shift_hue(image, turns);
    expect_near(image, original, 1e-5);
  }
  auto there_and_back = original;
  shift_hue(there_and_back, 0.37);
  shift_hue(there_and_back, -0.37);
  expect_near(there_and_back, original, 1e-5);
}

TEST(PixelOps, RotateRedToGreenAndBlue) {
  FloatImage image;
  image.reshape(3, 1, 1);
  image.plane(0)[0] = 1;
  image.plane(1)[0] = image.plane(2)[0] = 0;
  shift_hue(image, 1.0 / 3);
  EXPECT_NEAR(image.plane(1)[0], 1, 1e-6);
  EXPECT_NEAR(image.plane(0)[0], 0, 1e-6);
  shift_hue(image, 1.0 / 3);
  EXPECT_NEAR(image.plane(2)[0], 1, 1e-6);
}

TEST(PixelOps, ColorOperationsKeepGrayImages) {
  const auto original = random_float_image(1, 5, 7);
  for (const char* name : {"saturation", "hue", "grayscale"}) {
    auto image = original;
    apply_pixel_op(name, 0.3, image);
    expect_near(image, original, 0);
  }
}

TEST(PixelOps, ContrastUsesTheMeanOfAllPixels) {
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 255}, {16, 16}, {257, 3}}) {
    auto image = random_float_image(1, height, width);
    double mean = 0;
    for (size_t i = 0; i < image.plane_size(); ++i) mean += image.plane(0)[i];
    mean /= static_cast<double>(image.plane_size());
    adjust_contrast(image, 0);
    EXPECT_NEAR(image.plane(0)[image.plane_size() - 1], mean, 1e-6);
  }
}

TEST(PixelOps, UnknownOperationListsTheKnownOnes) {
  FloatImage image = random_float_image(3, 2, 2);
  try {
    apply_pixel_op("brightnes", 1, image);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what() + error.hint(), HasSubstr("brightness"));
  }
}

}  // namespace
}  // namespace projnce::augment
