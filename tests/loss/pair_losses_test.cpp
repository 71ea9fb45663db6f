// SupCon, ProjNCE, RINCE, SymNCE, InfoNCE: the formula pair by pair, and values to do by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/loss/infonce.h"
#include "projnce/loss/simclr.h"
#include "tests/loss/naive_losses.h"
#include "tests/support/batches.h"
#include "tests/support/complaint.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kExact = 1e-12;

class PairLosses : public ::testing::Test {
 protected:
  static double part(const LossValue& value, const std::string& name) {
    for (const auto& [key, tensor] : value.parts) {
      if (key == name) return tensor.item<double>();
    }
    ADD_FAILURE() << "no part " << name;
    return 0;
  }

  /// Largest difference of two gradients at the rows z.
  template <class F, class G>
  double gradient_difference(F f, G g) const {
    return (gradient_of(f, z_) - gradient_of(g, z_)).abs().max().template item<double>();
  }

  ContrastiveBatch batch() const { return self_batch(z_, y_); }

  torch::Tensor z_ = random_unit_rows(12, 5, 11) * 1.2;
  torch::Tensor y_ = torch::tensor({0, 3, 0, 1, 1, 1, 0, 3, 3, 9, 3, 0});  // 9 has one row
  double log_others_ = std::log(11.0);
};

TEST_F(PairLosses, SupConMatchesTheFormulaPairByPair) {
  for (const double t : {0.1, 0.5, 5.0}) {
    for (const auto variant : {SupConVariant::kOut, SupConVariant::kIn}) {
      for (const bool self_pos : {false, true}) {
        for (const bool self_denom : {false, true}) {
          const SupConOptions options{.temperature = t,
                                      .variant = variant,
                                      .include_self_pos = self_pos,
                                      .include_self_denom = self_denom,
                                      .empty_pos = EmptyPositives::kSkip};
          const auto expected = naive_supcon(z_, y_, options);
          EXPECT_NEAR(supcon(batch(), options).loss.item<double>(), expected,
                      kExact * std::max(1.0, std::abs(expected)));
        }
      }
    }
  }
}

TEST_F(PairLosses, ProjnceMatchesTheFormulaPairByPair) {
  for (const auto exclude : {Leave::kNothing, Leave::kSelf, Leave::kOwnClass}) {
    for (const auto centroid :
         {CentroidRows::kAll, CentroidRows::kNotAnchor, CentroidRows::kNotRow}) {
      for (const bool self : {false, true}) {
        const ProjnceOptions options{.temperature = 0.3,
                                     .beta = 1.7,
                                     .include_self_pos = self,
                                     .include_self_denom = self,
                                     .r_exclude = exclude,
                                     .r_centroid = centroid};
        const auto expected = naive_projnce(z_, y_, options);
        EXPECT_NEAR(projnce(batch(), options).loss.item<double>(), expected,
                    kExact * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST_F(PairLosses, RinceMatchesTheFormulaPairByPair) {
  for (const double q : {0.1, 0.5, 1.0}) {
    for (const auto denominator : {RinceDenominator::kAll, RinceDenominator::kOnePos}) {
      const RinceOptions options{
          .temperature = 0.5, .q = q, .lam = 0.2, .denominator = denominator};
      const auto expected = naive_rince(z_, y_, options);
      EXPECT_NEAR(rince(batch(), options).loss.item<double>(), expected,
                  kExact * std::max(1.0, std::abs(expected)));
    }
  }
}

TEST_F(PairLosses, SymnceMatchesTheFormulaPairByPair) {
  for (const auto form : {SymnceForm::kLout, SymnceForm::kLin, SymnceForm::kPairwise}) {
    for (const double beta : {0.0, 0.6, 1.0}) {
      const SymnceOptions options{.temperature = 0.3, .beta = beta, .form = form};
      const auto expected = naive_symnce(z_, y_, options);
      EXPECT_NEAR(symnce(batch(), options).loss.item<double>(), expected,
                  kExact * std::max(1.0, std::abs(expected)));
    }
  }
}

TEST_F(PairLosses, SimclrIsSupConOverInstances) {
  const auto unrelated = torch::zeros_like(y_);
  EXPECT_EQ(simclr(self_batch(z_, unrelated, y_)).loss.item<double>(),
            supcon(batch()).loss.item<double>());
}

TEST_F(PairLosses, TheSelfMaskIsApplied) {
  const auto equal = z_.narrow(0, 0, 1).expand({12, 5}).contiguous();
  const auto same = torch::zeros_like(y_);
  EXPECT_NEAR(supcon(self_batch(equal, same)).loss.item<double>(), log_others_, 1e-10);
  EXPECT_NEAR(simclr(self_batch(equal, same, same)).loss.item<double>(), log_others_, 1e-10);
  // Two rows of one class: the only candidate is the positive.
  const auto pair = self_batch(z_.narrow(0, 0, 2), torch::tensor({4, 4}));
  EXPECT_NEAR(supcon(pair).loss.item<double>(), 0, 1e-14);
}

TEST_F(PairLosses, LeaveOneOutDividesByOneLess) {
  // Three equal rows of one class and an orthogonal one: the others' mean is the row itself.
  auto z = torch::zeros({4, 3}, torch::kFloat64);
  z.narrow(0, 0, 3).select(1, 0).fill_(1);
  z[3][1] = 1;
  const auto b = self_batch(z, torch::tensor({0, 0, 0, 1}));
  const SupConOptions options{.temperature = 0.5, .empty_pos = EmptyPositives::kSkip};
  EXPECT_NEAR(part(supcon(b, options), "alignment"), -2, 1e-14);
  EXPECT_NEAR(
      part(projnce(b, {.temperature = 0.5, .empty_pos = EmptyPositives::kSkip}), "alignment"), -2,
      1e-14);
  // And in R: every class is equidistant from every anchor, so R is exactly 1.
  EXPECT_NEAR(part(projnce(b, {.temperature = 0.5}), "R"), 1, 1e-14);
}

TEST_F(PairLosses, RIsAddedWithPlusSign) {
  // All rows equal: R = 1, so the loss is log(N-1) + beta.
  const auto b = self_batch(z_.narrow(0, 0, 1).expand({12, 5}).contiguous(), y_);
  const ProjnceOptions options{.beta = 3, .empty_pos = EmptyPositives::kSkip};
  EXPECT_NEAR(projnce(b, options).loss.item<double>(), log_others_ + 3, 1e-10);
}

TEST_F(PairLosses, SingletonsHaveNoSelfpTermButKeepTheirR) {
  const auto b = self_batch(z_.narrow(0, 0, 4), torch::tensor({0, 1, 2, 3}));
  const auto value = projnce(b, {.beta = 1.5});
  EXPECT_NEAR(value.loss.item<double>(), 1.5, 1e-12);  // every centroid is a row: R_i = 1
  EXPECT_EQ(part(value, "valid_anchors"), 0);
  EXPECT_EQ(supcon(b).loss.item<double>(), 0);
}

TEST_F(PairLosses, SkippingEmptyPositivesDividesByTheValidAnchors) {
  const auto zero = supcon(batch(), {.temperature = 0.5}).loss.item<double>();
  const auto skip =
      supcon(batch(), {.temperature = 0.5, .empty_pos = EmptyPositives::kSkip}).loss.item<double>();
  EXPECT_NEAR(skip, zero * 12 / 11, 1e-12);
  EXPECT_NEAR(part(supcon(batch()), "valid_anchors"), 11.0 / 12, 1e-14);
}

TEST_F(PairLosses, TheBaseTemperatureScalesTheLoss) {
  const auto plain = supcon(batch(), {.temperature = 0.2}).loss.item<double>();
  const auto scaled = supcon(batch(), {.temperature = 0.2, .base_tau = 0.07}).loss.item<double>();
  EXPECT_NEAR(scaled, plain * 0.2 / 0.07, 1e-11);
}

TEST_F(PairLosses, PartsAddUpToTheLoss) {
  const auto value = projnce(batch(), {.temperature = 0.2, .beta = 2});
  EXPECT_NEAR(part(value, "alignment") + part(value, "uniformity") + 2 * part(value, "R"),
              value.loss.item<double>(), 1e-12);
}

TEST_F(PairLosses, AnchorsWithoutPartnerAddNothingToTheBound) {
  const auto skipping = projnce(batch(), {.temperature = 0.2, .empty_pos = EmptyPositives::kSkip});
  const auto bound = 1 + log_others_ - part(skipping, "alignment") - part(skipping, "uniformity") -
                     part(skipping, "R");
  EXPECT_NEAR(part(skipping, "mi_bound"), bound, 1e-12);
  EXPECT_NEAR(part(projnce(batch(), {.temperature = 0.2}), "mi_bound"), bound, 1e-12);
  EXPECT_NEAR(part(supcon(batch(), {.temperature = 0.2}), "mi_bound"), bound, 1e-12);
  const auto nobody = self_batch(z_.narrow(0, 0, 4), torch::tensor({0, 1, 2, 3}));
  EXPECT_EQ(part(projnce(nobody), "mi_bound"), 0);
}

TEST_F(PairLosses, DetachedPositivesReceiveNoGradient) {
  const auto constant = z_.clone();
  const auto detached = [&](const torch::Tensor& z) {
    return supcon(self_batch(z, y_), {.temperature = 0.3, .detach_pos = true}).loss;
  };
  // The alignment of moving anchors with constant candidates, and the rest as it is.
  const auto by_hand = [&](const torch::Tensor& z) {
    const auto full = supcon(self_batch(z, y_), {.temperature = 0.3}).loss;
    auto moving = self_batch(z, y_);
    const auto alignment = [&](const torch::Tensor& candidates) {
      auto sum = torch::zeros({}, torch::kFloat64);
      for (int64_t i = 0; i < 12; ++i) {
        const auto others = (y_ == y_[i]) & (torch::arange(12) != i);
        if (!others.any().item<bool>()) continue;
        const auto mean = candidates.index_select(0, others.nonzero().squeeze(1)).mean(0);
        sum = sum - z[i].dot(mean) / (0.3 * 12);
      }
      return sum;
    };
    return full - alignment(z) + alignment(constant);
  };
  EXPECT_LT(gradient_difference(detached, by_hand), 1e-12);
}

TEST_F(PairLosses, InfonceComparesFirstViewsWithSecondViews) {
  // Rows 0, 2, 4 are first views, their partners 5, 3, 1 second ones.
  const auto z = random_unit_rows(6, 4, 2);
  const auto instances = torch::tensor({8, 5, 6, 6, 5, 8});
  const auto a = z.index_select(0, torch::tensor({0, 1, 2}));
  const auto b = z.index_select(0, torch::tensor({5, 4, 3}));
  for (const bool symmetric : {false, true}) {
    const InfonceOptions options{.temperature = 0.2, .symmetric = symmetric};
    const auto expected = infonce(a, b, options);
    const auto value = InfonceLoss(options).evaluate(self_batch(z, instances, instances));
    EXPECT_NEAR(value.loss.item<double>(), expected.loss.item<double>(), kExact);
    EXPECT_NEAR(part(value, "mi_bound"), part(expected, "mi_bound"), kExact);
  }
}

TEST_F(PairLosses, ErrorsAreSentences) {
  EXPECT_THAT(complaint([] { SupConLoss({.temperature = 0}); }),
              HasSubstr("supcon: temperature = 0 must be a number above 0"));
  EXPECT_THAT(complaint([] { ProjnceLoss({.temperature = std::nan("")}); }),
              HasSubstr("projnce: temperature = nan"));
  EXPECT_THAT(complaint([] { RinceLoss({.q = 1.5}, GroupBy::kClass); }), HasSubstr("q = 1.5"));
  EXPECT_THAT(complaint([this] { simclr(batch()); }), HasSubstr("no anchor_instances"));
  EXPECT_THAT(complaint([this] { InfonceLoss().evaluate(self_batch(z_, y_, y_)); }),
              HasSubstr("exactly two rows"));
  EXPECT_THAT(complaint([this] { supcon(self_batch(z_, y_.narrow(0, 0, 5))); }),
              HasSubstr("anchor_labels have shape [5], expected [12]"));
  EXPECT_THAT(complaint([this] { supcon(self_batch(z_, y_.to(torch::kFloat32))); }),
              HasSubstr("expected integers"));
  auto shifted = batch();
  shifted.anchors = z_.narrow(0, 0, 4);
  shifted.anchor_labels = y_.narrow(0, 0, 4);
  shifted.anchor_offset = 3;
  EXPECT_THAT(complaint([&] { supcon(shifted); }), HasSubstr("anchor_offset 3"));
  shifted.anchor_offset = 9;
  EXPECT_THAT(complaint([&] { supcon(shifted); }), HasSubstr("do not lie within 12 candidates"));
}

TEST_F(PairLosses, HalfPrecisionIsComputedInFloat32) {
  const auto loss = supcon(self_batch(z_.to(torch::kBFloat16), y_)).loss;
  EXPECT_EQ(loss.scalar_type(), torch::kFloat32);
}

}  // namespace
}  // namespace projnce::testing
