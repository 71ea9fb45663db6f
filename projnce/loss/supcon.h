#pragma once

#include <optional>
#include <string>

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"

namespace projnce::loss {

/// Position of the mean over the positives.
enum class SupConVariant {
  kOut,  ///< outside the logarithm
  kIn,   ///< inside; never larger than kOut
};

/// Options of SupConLoss.
struct SupConOptions {
  /// Divides similarities; above 0. Small values emphasize the closest pairs.
  double temperature = 0.07;
  /// Position of the mean over the positives.
  SupConVariant variant = SupConVariant::kOut;
  /// If true, the anchor is one of its own positives, as in the ProjNCE paper; default: false, as
  /// in SupCon's code.
  bool include_self_pos = false;
  /// If true, the denominator includes the anchor's similarity with itself.
  bool include_self_denom = false;
  /// How anchors that are alone in their class count.
  EmptyPositives empty_positives = EmptyPositives::kZero;
  /// Multiplies the loss by temperature / base_temperature; absent: 1.
  std::optional<double> base_temperature = {};
  /// If true, the positives of an anchor are constants.
  bool detach_pos = false;
};

/// Supervised contrastive loss (Khosla et al., 2020). With s_ij = z_i.z_j/t, P(i) the other
/// candidates of the anchor's class and D(i) all other candidates:
///
///   out: l_i = -mean_{p in P(i)} s_ip                        + log sum_{j in D(i)} e^{s_ij}
///   in : l_i = -log( mean_{p in P(i)} e^{s_ip} )             + log sum_{j in D(i)} e^{s_ij}
///   L = sum_i w_i l_i,  w_i = 1/N (see EmptyPositives)
///
/// An anchor whose P(i) or D(i) is empty has no term; a batch without any gives 0. All rows equal
/// gives log(M-1). Labels are any integers.
///
/// Parts: alignment, uniformity, valid_anchors; for `out` without self also R, as in ProjNCE.
class SupConLoss : public ContrastiveLoss {
 public:
  explicit SupConLoss(const SupConOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  SupConOptions options_;
};

/// The functional form.
LossValue supcon(const ContrastiveBatch& batch, const SupConOptions& options = {});

/// The same with positives by label or by instance; `name` begins the messages of errors.
LossValue supcon_grouped(const ContrastiveBatch& batch, const SupConOptions& options,
                         GroupBy group_by, const std::string& name);

/// Throws an Error if an option is out of range.
void check_options(const SupConOptions& options, const std::string& name);

}  // namespace projnce::loss
