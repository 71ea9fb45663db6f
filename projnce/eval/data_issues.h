#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace projnce::eval {

/// Labeled rows to search for issues.
struct IssueRows {
  torch::Tensor embeddings;          ///< [N, D], float32 or float64
  torch::Tensor labels;              ///< [N], int64: given labels in 0 .. num_classes - 1
  torch::Tensor likely;              ///< [N], int64: likely labels, such as AuditResult::suggested
  int64_t num_classes = 0;           ///< number of classes
  std::vector<bool> is_test = {};    ///< rows of the test split; empty: no splits
  std::vector<int64_t> groups = {};  ///< group of each row, from 0; empty: no groups
};

/// A class pair whose rows are neighbors of each other.
struct ClassOverlap {
  int64_t first = 0;   ///< class
  int64_t second = 0;  ///< other class, larger than `first`
  /// Rate at which neighbors have the label of the other class, relative to classes of these sizes
  /// that are mixed at random: 0 = separated, 1 = the same class.
  double overlap = 0;
  bool is_issue = false;  ///< at least kMinOverlap
};

/// Accuracy of the neighbors' majority label within a group.
struct GroupAccuracy {
  int64_t rows = 0;       ///< number of rows in the group
  double accuracy = 0;    ///< accuracy of its rows
  double others = 0;      ///< accuracy of all other rows
  bool is_issue = false;  ///< lower than that of the others; see find_data_issues
};

/// Issues of the rows. Scores are in 0 .. 1; 0 is the most severe.
struct DataIssues {
  /// Distance to the nearest row, relative to the 10th nearest (the smaller value of both rows).
  std::vector<double> near_duplicate_score;
  std::vector<bool> is_near_duplicate;     ///< score at most duplicate_threshold
  std::vector<int64_t> near_duplicate_of;  ///< first row of the set of near-duplicates; -1: none
  std::vector<bool> is_conflicting;        ///< the set has several given labels
  std::vector<bool> is_leaked;             ///< test row in a set with a training row
  std::vector<double> outlier_score;       ///< 1 / (1 + max(0, z)), see find_data_issues
  std::vector<bool> is_outlier;            ///< z above kOutlierDeviations
  std::vector<double> ambiguity_score;     ///< (a - b) / (a + b) of the two most frequent labels
  std::vector<bool> is_ambiguous;          ///< about as many votes for both
  std::vector<int64_t> second_label;       ///< the second of them; -1: none
  std::vector<bool> in_weak_group;         ///< the row's group is an issue
  std::vector<ClassOverlap> overlaps;      ///< pairs with any overlap, largest first
  std::vector<GroupAccuracy> groups;       ///< by group
  double duplicate_threshold = 0;          ///< t of find_data_issues
  double intrinsic_dimension = 0;          ///< m of find_data_issues
  int64_t neighbors = 0;                   ///< number of neighbors used
};

/// Number of neighbors that describe a row's surroundings.
inline constexpr int64_t kIssueNeighbors = 10;
/// Number of neighbors whose labels are counted.
inline constexpr int64_t kVotingNeighbors = 20;
/// Robust standard deviations above which a row is an outlier.
inline constexpr double kOutlierDeviations = 4;
/// Overlap from which two classes are an issue: half as mixed as a single class.
inline constexpr double kMinOverlap = 0.5;
/// Accuracy by which a weak group must be below all others.
inline constexpr double kMinAccuracyGap = 0.1;

/// Finds issues from exact nearest neighbors by Euclidean distance; O(N^2 D). With d_k the distance
/// to the k-th nearest row and m the intrinsic dimension (maximum likelihood, Levina and Bickel):
///
/// - near-duplicates: two rows whose distance is at most t times the smaller d_10 of both. For
///   independent rows of locally constant density, (d_1 / d_10)^m is the minimum of 9 uniform
///   numbers; t = (1 / 9N)^(1/m), at most 0.5, so one row of N is expected below t by chance.
/// - outliers: z is the smaller of two robust z-scores (median, median absolute deviation) of
///   logarithms: of the mean distance to 10 neighbors, and of d_10 relative to the median d_10 of
///   these neighbors. A row is far from all others, and farther than its neighbors are.
/// - ambiguous rows: among the likely labels of 20 neighbors, the two most frequent ones have a and
///   b votes with a - b <= sqrt(a + b) and a + b >= 10: one standard deviation of a fair coin.
/// - overlapping classes: see ClassOverlap, from the likely labels.
/// - weak groups: the majority label of 20 neighbors (without the row) is the given label less
/// often
///   than in all other rows, by at least kMinAccuracyGap and significantly (one-sided test of
///   proportions, level 0.01 divided by the number of groups).
///
/// Throws unless there are at least 3 rows, all finite. Does not depend on the number of threads.
DataIssues find_data_issues(const IssueRows& rows);

}  // namespace projnce::eval
