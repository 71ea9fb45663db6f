#pragma once

#include <string>

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/perp.h"

namespace projnce::loss {

/// Rows that the class vectors exclude when they are compared with an anchor.
enum class LeaveOneOut {
  kNone,      ///< none
  kInstance,  ///< the anchor and the other views of its sample
};

/// Source of the class priors pi.
enum class PriorSource {
  kBatch,     ///< frequencies in the batch, without the anchor's instance
  kUniform,   ///< equal for all classes
  kTraining,  ///< given: frequencies in the training set
};

/// Options of ProjncePerpLoss.
struct ProjncePerpOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// Source of the soft labels, kernel, metric and bandwidth.
  projection::PerpOptions perp = {};
  /// kNone: the denominator includes the anchor; kSelf: it does not (without leave_one_out only).
  Exclude denominator = Exclude::kNone;
  /// If true, class vectors are scaled to unit length.
  bool normalize_g = false;
  /// If true, no gradient flows into the class vectors.
  bool detach_g = false;
  /// kInstance: class vectors exclude the rows of the anchor's instance.
  LeaveOneOut leave_one_out = LeaveOneOut::kNone;
  /// Class priors of kInstance. kTraining: `class_priors`, which the loss is given with the
  /// options.
  PriorSource priors = PriorSource::kBatch;
};

/// ProjNCE-perp (Jeong and Hero): estimates g_c of E[Z | C = c] from soft labels as g+ and g-. n_c
/// counts the rows of class c.
///
///   l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t},   L = mean_i l_i
///
/// See PerpProjection for the vectors, class_infonce for edge cases and parts.
///
/// With unit rows in 128 dimensions, metric l1 and bandwidths up to 0.9, as in the paper, the
/// estimate returns the hard labels, and this is the class-centroid loss for every bandwidth.
/// Settings that smooth: cosine with 0.2 to 0.4, l2 with 0.9 to 1.2, l1 scaled to `unit` with 0.4
/// to 0.5. kHard is that loss without the estimate.
///
/// With leave_one_out = kInstance the class vectors are computed from O(i), the candidates of other
/// instances, and the classes have priors pi. C_i are the classes with soft labels in O(i):
///
///   l_i     = -s_{i,y_i} + log sum_{c in C_i} rho_c e^{s_ic},   s_ic = z_i . g_c^(i) / t
///   g_c^(i) = sum_{k in O(i)} q_kc z_k / sum_{k in O(i)} q_kc,   rho_c = pi_c / sum_{b in C_i}
///   pi_b
///
/// An anchor whose own class is not in C_i counts as 0. Without instances each row is one of its
/// own. -mean_i l_i is the class form of information::class_bound with vectors that do not depend
/// on the row, and equals the normalized pair form of information::pair_bound if labels are hard
/// and every class occurs in O(i). It is a certified lower bound on I(Z;C) only for rows that the
/// encoder was not trained on, priors of the population (not kBatch), and soft labels that do not
/// depend on the anchor (kHard, kGiven); with Nadaraya-Watson the soft labels of O(i) depend on it.
class ProjncePerpLoss : public ContrastiveLoss {
 public:
  /// `class_priors` [C], by label, for PriorSource::kTraining; not used otherwise.
  explicit ProjncePerpLoss(const ProjncePerpOptions& options = {},
                           const torch::Tensor& class_priors = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  ProjncePerpOptions options_;
  torch::Tensor class_priors_;
};

/// The functional form.
LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options = {},
                       const torch::Tensor& class_priors = {});

/// Throws an Error that begins with `source` if options are out of range or contradict each other.
void check_options(const ProjncePerpOptions& options, const std::string& source);

}  // namespace projnce::loss
