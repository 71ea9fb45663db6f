#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace projnce::eval {

/// How labels are audited.
struct AuditOptions {
  /// Number of cross-validation folds, at least 2. No sample is scored by a classifier that has
  /// seen its label. No more folds are made than there are samples.
  int64_t folds = 5;
  uint64_t seed = 0;  ///< draws the folds
};

/// How well classifiers predict given labels that they have not seen: what an audit can know.
struct AuditSkill {
  double accuracy = 0;         ///< share of given labels that are predicted, held out
  double chance_accuracy = 0;  ///< share of the most frequent label
  /// Nats per label by which the features predict held-out labels better than class frequencies do;
  /// below zero: worse.
  double information = 0;
  double label_entropy = 0;  ///< nats; the most that `information` can be
  /// If false the features cannot tell the classes apart: nothing is flagged, and the ranking means
  /// nothing.
  bool informative = false;
};

/// What is known about each label, and about the labels together.
struct AuditResult {
  torch::Tensor score;      // [N], double: probability that the label is wrong
  torch::Tensor suggested;  // [N], int64: the likeliest other class if flagged, else the label
  /// [C, C], double: of true class c (row) the share that carries label g. A class that no sample
  /// has been given is a row of the identity.
  torch::Tensor noise_matrix;
  /// Estimated share of wrong labels; NaN if the features are not informative.
  double noise_rate = 0;
  int64_t flagged = 0;  ///< samples with a score above kFlagged
  /// Share of the flagged that are expected to be wrong: their mean score. NaN if none is flagged.
  double expected_precision = 0;
  AuditSkill skill;  ///< what the audit can know
};

/// Called with the number of stages that are finished, and how many there may be.
using AuditProgress = std::function<void(int64_t done, int64_t most)>;

/// A label that is wrong more probably than not.
inline constexpr double kFlagged = 0.5;

/// Ranks samples by how likely their label is wrong; [N, D] embeddings of any norm and origin, [N]
/// int64 labels in 0 .. num_classes - 1. On the CPU.
///
/// Cross-validated classifiers (held_out_scores) give p(c|z) without the sample's own label; a
/// noise matrix T is fitted to the given labels (fit_noise). Then
///
///   score_i = 1 - p(y_i|z_i) T[y_i, y_i] / sum_c p(c|z_i) T[c, y_i]
///
/// averaged over the temperatures that the labels leave possible. A class of one sample cannot be
/// scored without it: that sample's score is the noise rate.
/// Throws if embeddings are not finite or all equal, sizes differ, a label is out of range, or
/// fewer than two classes occur. The same bits for any number of threads.
AuditResult audit_labels(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         int64_t num_classes, const AuditOptions& options = {},
                         const AuditProgress& progress = {});

/// How good an audit is, where it is known which labels are wrong.
struct AuditScore {
  int64_t wrong = 0;             ///< labels that are
  double precision = 0;          ///< share of the flagged that are wrong; NaN where none is flagged
  double recall = 0;             ///< share of the wrong that are flagged; NaN where none is wrong
  double average_precision = 0;  ///< of the ranking; NaN where none is wrong
  int64_t worst = 0;             ///< 100, or all samples where there are fewer
  int64_t worst_wrong = 0;       ///< wrong labels among that many with the highest scores
  /// Share of wrong labels whose suggestion is the true one; NaN where none is wrong.
  double mended = 0;
};

/// Samples by falling score, the lower index first among equals.
std::vector<int64_t> worst_first(const torch::Tensor& score);

/// REQUIRES: `labels` are those that were audited, `truth` is [N] int64 too.
///
/// Average precision: the mean, over wrong labels, of the share of wrong ones among the samples
/// that rank as high or higher; equal scores rank the same.
AuditScore score_audit(const AuditResult& result, const torch::Tensor& labels,
                       const torch::Tensor& truth);

}  // namespace projnce::eval
