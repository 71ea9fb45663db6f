#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace projnce::eval {

/// Options of audit_labels.
struct AuditOptions {
  /// Number of cross-validation folds, at least 2; limited to the number of samples. No sample is
  /// scored by a classifier that has seen its label.
  int64_t folds = 5;
  uint64_t seed = 0;  ///< seed of the fold assignment
};

/// Held-out performance of the classifiers on the given labels, which limits the audit.
struct AuditSkill {
  double accuracy = 0;         ///< held-out accuracy on the given labels
  double chance_accuracy = 0;  ///< fraction of the most frequent label
  /// Gain of the features over class frequencies in predicting held-out labels, in nats per label;
  /// negative if worse.
  double information = 0;
  double label_entropy = 0;  ///< nats; upper bound of `information`
  /// If false, the features do not separate the classes, or there are too few samples: nothing is
  /// flagged, and the ranking is meaningless.
  bool informative = false;
  /// If true, there are too few samples: not informative, although held-out accuracy has less than
  /// half of the errors of the most frequent label.
  bool too_few_samples = false;
};

/// Sentence about the list of label issues. REQUIRES: the features are not informative.
std::string reason_not_to_use(const AuditSkill& skill);

/// Result of a label audit.
struct AuditResult {
  torch::Tensor score;      // [N], double: probability that the label is wrong
  torch::Tensor suggested;  // [N], int64: most likely other class if flagged, otherwise the label
  /// [C, C], double: P(given label g | true class c) in row c. The row of a class without samples
  /// is that of the identity.
  torch::Tensor noise_matrix;
  /// Estimated fraction of wrong labels; NaN if the features are not informative.
  double noise_rate = 0;
  int64_t flagged = 0;  ///< number of samples with a score above kFlagged
  /// Expected precision of the flags: their mean score. NaN if none is flagged.
  double expected_precision = 0;
  AuditSkill skill;  ///< held-out performance of the classifiers
};

/// Called with the number of finished stages and the maximum number of stages.
using AuditProgress = std::function<void(int64_t done, int64_t most)>;

/// Threshold of the score above which a label is flagged.
inline constexpr double kFlagged = 0.5;

/// Estimates for each sample the probability that its label is wrong. Embeddings [N, D] may have
/// any norm and origin; labels [N] are int64 in 0 .. num_classes - 1. On the CPU.
///
/// Cross-validated classifiers (held_out_scores) estimate p(c|z) without the sample's own label; a
/// noise matrix T is fitted to the given labels (fit_noise). Then
///
///   score_i = 1 - p(y_i|z_i) T[y_i, y_i] / sum_c p(c|z_i) T[c, y_i]
///
/// averaged over the plausible temperatures. The only sample of a class cannot be scored: its score
/// is the noise rate. Throws if embeddings are not finite or all equal, sizes differ, a label is
/// out of range, or fewer than two classes occur. Bit-identical for any number of threads.
AuditResult audit_labels(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         int64_t num_classes, const AuditOptions& options = {},
                         const AuditProgress& progress = {});

/// Quality of an audit if the true labels are known.
struct AuditScore {
  int64_t wrong = 0;             ///< number of wrong labels
  double precision = 0;          ///< precision of the flags; NaN if none is flagged
  double recall = 0;             ///< recall of the flags; NaN if no label is wrong
  double average_precision = 0;  ///< average precision of the ranking; NaN if no label is wrong
  int64_t worst = 0;             ///< 100, or the number of samples if there are fewer
  int64_t worst_wrong = 0;       ///< wrong labels among the `worst` highest scores
  /// Fraction of wrong labels whose suggestion is the true class; NaN if no label is wrong.
  double corrected = 0;
};

/// Returns sample indices by descending score; ties are ordered by index.
std::vector<int64_t> worst_first(const torch::Tensor& score);

/// Compares an audit with the true labels. REQUIRES: `labels` are the audited labels; `truth` is
/// [N] int64.
///
/// Average precision is the mean, over wrong labels, of the precision among the samples that rank
/// at least as high; equal scores have equal rank.
AuditScore score_audit(const AuditResult& result, const torch::Tensor& labels,
                       const torch::Tensor& truth);

}  // namespace projnce::eval
