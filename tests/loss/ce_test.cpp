#include "projnce/loss/ce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/loss/registry.h"
#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

/// The embeddings are the logits of four classes.
LossSettings ce_settings() {
  return {{"default",
           [](const ContrastiveBatch& b) {
             return LossValue{cross_entropy(b.anchors, b.anchor_labels, b.reduction), {}};
           },
           true, false, false}};
}

INSTANTIATE_LOSS_TESTS(Ce, ce_settings);

class CeTest : public ClassLossTest {};

TEST_F(CeTest, MatchesTheFormulaRowByRow) {
  double sum = 0;
  for (int64_t i = 0; i < 9; ++i) {
    const auto own = z_[i][y_[i].item<int64_t>()].item<double>();
    sum += -own + std::log(z_[i].exp().sum().item<double>());
  }
  EXPECT_NEAR(cross_entropy(z_, y_).item<double>(), sum / 9, 1e-12);
}

TEST_F(CeTest, OfEqualLogitsIsLogC) {
  EXPECT_NEAR(cross_entropy(torch::zeros({9, 4}, torch::kFloat64), y_).item<double>(),
              std::log(4.0), 1e-15);
}

TEST_F(CeTest, RejectsLabelsOutsideTheClasses) {
  const auto y = torch::tensor({0, 1, 2, 3, 4, 5, 0, 1, 2});
  EXPECT_THAT(error_message_of([&] { cross_entropy(z_, y); }),
              HasSubstr("ce: label 5 is outside 0..3"));
}

TEST_F(CeTest, IsNotContrastive) {
  torch::manual_seed(3);
  const auto loss = std::make_shared<CeLoss>(CeOptions{.num_classes = 3, .feature_dim = 4});
  EXPECT_EQ(std::dynamic_pointer_cast<ContrastiveLoss>(std::shared_ptr<Loss>(loss)), nullptr);
  EXPECT_EQ(loss->named_parameters().keys(),
            (std::vector<std::string>{"classifier.weight", "classifier.bias"}));
}

TEST_F(CeTest, ClassifiersReadFeaturesOrElseTheEmbeddings) {
  torch::manual_seed(3);
  for (const std::string name : {"ce", "sce"}) {
    const auto loss =
        make_loss(loss_options(name), {.num_classes = 3, .embedding_dim = 4, .feature_dim = 7});
    const auto features = random_normal(9, 7, 23);
    EXPECT_TRUE(std::isfinite((*loss)(z_, y_, {}, features).item<double>()));
    EXPECT_EQ(loss->logits(features).sizes(), (std::vector<int64_t>{9, 3}));
    EXPECT_THAT(error_message_of([&] { loss->forward(batch()); }),
                HasSubstr("the classifier reads [N, 7]"));
    const auto narrow = make_loss(loss_options(name), {.num_classes = 3, .embedding_dim = 4});
    EXPECT_TRUE(std::isfinite(narrow->forward(batch()).item<double>()));
  }
}

}  // namespace
}  // namespace projnce::testing
