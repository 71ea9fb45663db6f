#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace projnce {

/// How labels are audited.
struct AuditOptions {
  /// No sample is judged by class vectors that have seen its label: they are learned this many
  /// times, each time without one fold. At least 2; no more than there are samples are made.
  int64_t folds = 5;
  uint64_t seed = 0;  ///< draws the folds
};

/// What is known about each label, and about the labels together.
struct AuditResult {
  torch::Tensor score;      // [N], double: probability that the label is wrong
  torch::Tensor suggested;  // [N], int64: the likeliest other class where it is flagged, else the
                            // label
  /// [C, C], double: of true class c (row) the share that carries label g. A class that no sample
  /// has been given is a row of the identity.
  torch::Tensor noise_matrix;
  double noise_rate = 0;  ///< estimated share of wrong labels
  int64_t flagged = 0;    ///< samples with a score above kFlagged
};

/// Told after each fold: how many were judged, and how many that may become.
using AuditProgress = std::function<void(int64_t done, int64_t most)>;

/// A label that is wrong more probably than not.
inline constexpr double kFlagged = 0.5;

/// Ranks samples by how likely their label is wrong; [N, D] embeddings of any length and origin,
/// [N] int64 labels in 0 .. num_classes - 1. On the CPU.
///
/// In each fold class vectors start as medians of the classes and are learned under a noise model
/// (learn_corrected_vectors), the model is fitted to what they say about the samples that they have
/// not seen (improve_noise_model), and both again, some rounds. Then
///
///   score_i = 1 - p(g_i|z_i) T[g_i, g_i] / sum_c p(c|z_i) T[c, g_i]
///
/// A class of one sample cannot be judged without it: that sample's score is the noise rate.
/// Throws where embeddings are not finite or all equal, sizes differ, a label is none of the
/// classes, or fewer than two classes occur. The same bits for any number of threads.
AuditResult audit_labels(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         int64_t num_classes, const AuditOptions& options = {},
                         const AuditProgress& progress = {});

}  // namespace projnce
