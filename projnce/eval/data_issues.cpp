#include "projnce/eval/data_issues.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/eval/nearest_neighbors.h"

namespace projnce::eval {

namespace {

constexpr double kTinyDistance = 1e-30;
constexpr double kMaxDuplicateRatio = 0.5;
constexpr double kWeakGroupLevel = 0.01;
constexpr int64_t kMinVotes = 10;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// (value - median) / (1.4826 * median absolute deviation).
std::vector<double> robust_z_scores(std::vector<double> values) {
  const double center = median_of(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - center));
  const double scale = std::max(1.4826 * median_of(std::move(deviations)), 1e-12);
  for (auto& value : values) value = (value - center) / scale;
  return values;
}

/// Distances and indices of the nearest rows.
class NeighborTable {
 public:
  NeighborTable(const torch::Tensor& embeddings, int64_t count)
      : found_(nearest_neighbors(embeddings, embeddings,
                                 {.neighbors = count,
                                  .similarity = kernel::Similarity::kDistance,
                                  .exclude_self = true})),
        indices_(found_.indices.contiguous()),
        distances_(found_.scores.to(torch::kFloat64).contiguous()),
        count_(count) {}

  int64_t rows() const { return indices_.size(0); }
  int64_t count() const { return count_; }
  /// k-th nearest row, from 0.
  int64_t index(int64_t row, int64_t k) const {
    return indices_.data_ptr<int64_t>()[row * count_ + k];
  }
  double distance(int64_t row, int64_t k) const {
    return distances_.data_ptr<double>()[row * count_ + k];
  }

 private:
  Neighbors found_;
  torch::Tensor indices_;
  torch::Tensor distances_;
  int64_t count_;
};

/// Finds sets of rows by their links.
class RowSets {
 public:
  explicit RowSets(int64_t rows) : parents_(static_cast<size_t>(rows)) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  int64_t first_of(int64_t row) {
    while (parents_[static_cast<size_t>(row)] != row) {
      auto& parent = parents_[static_cast<size_t>(row)];
      parent = parents_[static_cast<size_t>(parent)];
      row = parent;
    }
    return row;
  }
  void link(int64_t a, int64_t b) {
    a = first_of(a);
    b = first_of(b);
    parents_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int64_t> parents_;
};

/// Number of neighbors that describe the surroundings of a row.
int64_t scale_neighbors(const NeighborTable& table) {
  return std::min(kIssueNeighbors, table.count());
}

/// Median over rows of the maximum-likelihood estimate.
double intrinsic_dimension(const NeighborTable& table) {
  const int64_t k = scale_neighbors(table);
  if (k < 3) return 1;
  std::vector<double> inverse;
  for (int64_t i = 0; i < table.rows(); ++i) {
    const double last = std::max(table.distance(i, k - 1), kTinyDistance);
    double sum = 0;
    for (int64_t j = 0; j + 1 < k; ++j) {
      sum += std::log(last / std::max(table.distance(i, j), last * 1e-12));
    }
    inverse.push_back(sum / static_cast<double>(k - 2));
  }
  return std::max(1.0, 1 / std::max(median_of(std::move(inverse)), 1e-6));
}

void find_duplicates(const IssueRows& rows, const NeighborTable& table, DataIssues& issues) {
  const int64_t count = table.rows();
  const int64_t k = scale_neighbors(table);
  issues.intrinsic_dimension = intrinsic_dimension(table);
  const double chance = 1 / (static_cast<double>(std::max<int64_t>(k - 1, 1) * count));
  issues.duplicate_threshold =
      std::min(kMaxDuplicateRatio, std::pow(chance, 1 / issues.intrinsic_dimension));
  const auto scale_of = [&](int64_t row) { return table.distance(row, k - 1); };
  RowSets sets(count);
  issues.near_duplicate_score.assign(static_cast<size_t>(count), 1);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < table.count(); ++j) {
      const int64_t other = table.index(i, j);
      const double scale = std::min(scale_of(i), scale_of(other));
      const double distance = table.distance(i, j);
      const double ratio = distance == 0 ? 0 : std::min(1.0, distance / scale);
      for (const int64_t row : {i, other}) {
        auto& score = issues.near_duplicate_score[static_cast<size_t>(row)];
        score = std::min(score, ratio);
      }
      if (ratio <= issues.duplicate_threshold) sets.link(i, other);
    }
  }
  std::map<int64_t, std::vector<int64_t>> members;
  for (int64_t i = 0; i < count; ++i) members[sets.first_of(i)].push_back(i);
  issues.near_duplicate_of.assign(static_cast<size_t>(count), -1);
  for (auto* flags : {&issues.is_near_duplicate, &issues.is_conflicting, &issues.is_leaked}) {
    flags->assign(static_cast<size_t>(count), false);
  }
  const auto* labels = rows.labels.data_ptr<int64_t>();
  for (const auto& [first, set] : members) {
    if (set.size() < 2) continue;
    const auto first_label = labels[first];
    const bool conflicting = std::any_of(set.begin(), set.end(),
                                         [&](int64_t row) { return labels[row] != first_label; });
    const bool trained =
        !rows.is_test.empty() && std::any_of(set.begin(), set.end(), [&](auto row) {
          return !rows.is_test[static_cast<size_t>(row)];
        });
    for (const int64_t row : set) {
      const auto i = static_cast<size_t>(row);
      issues.is_near_duplicate[i] = true;
      issues.near_duplicate_of[i] = first;
      issues.is_conflicting[i] = conflicting;
      issues.is_leaked[i] = trained && rows.is_test[i];
    }
  }
}

void find_outliers(const NeighborTable& table, DataIssues& issues) {
  const int64_t k = scale_neighbors(table);
  std::vector<double> far;
  std::vector<double> relative;
  const auto log_scale = [&](int64_t row) {
    return std::log(std::max(table.distance(row, k - 1), kTinyDistance));
  };
  for (int64_t i = 0; i < table.rows(); ++i) {
    double sum = 0;
    std::vector<double> around;
    for (int64_t j = 0; j < k; ++j) {
      sum += table.distance(i, j);
      around.push_back(log_scale(table.index(i, j)));
    }
    far.push_back(std::log(std::max(sum, kTinyDistance)));
    relative.push_back(log_scale(i) - median_of(std::move(around)));
  }
  far = robust_z_scores(std::move(far));
  relative = robust_z_scores(std::move(relative));
  for (size_t i = 0; i < far.size(); ++i) {
    const double z = std::min(far[i], relative[i]);
    issues.outlier_score.push_back(1 / (1 + std::max(0.0, z)));
    issues.is_outlier.push_back(z > kOutlierDeviations);
  }
}

/// Numbers of neighbors by class.
std::vector<std::pair<int64_t, int64_t>> count_labels(const NeighborTable& table, int64_t row,
                                                      const int64_t* labels) {
  std::map<int64_t, int64_t> votes;
  for (int64_t j = 0; j < table.count(); ++j) ++votes[labels[table.index(row, j)]];
  std::vector<std::pair<int64_t, int64_t>> counts;  // (votes, class)
  for (const auto& [label, count] : votes) counts.emplace_back(count, label);
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return counts;
}

void find_ambiguous(const IssueRows& rows, const NeighborTable& table, DataIssues& issues) {
  const auto* likely = rows.likely.data_ptr<int64_t>();
  for (int64_t i = 0; i < table.rows(); ++i) {
    const auto counts = count_labels(table, i, likely);
    const int64_t a = counts[0].first;
    const int64_t b = counts.size() > 1 ? counts[1].first : 0;
    const auto sum = static_cast<double>(a + b);
    const auto lead = static_cast<double>(a - b);
    issues.ambiguity_score.push_back(lead / sum);
    issues.second_label.push_back(b > 0 ? counts[1].second : -1);
    issues.is_ambiguous.push_back(b > 0 && lead <= std::sqrt(sum) && a + b >= kMinVotes);
  }
}

void find_overlaps(const IssueRows& rows, const NeighborTable& table, DataIssues& issues) {
  const auto* likely = rows.likely.data_ptr<int64_t>();
  std::vector<int64_t> sizes(static_cast<size_t>(rows.num_classes));
  std::map<std::pair<int64_t, int64_t>, int64_t> links;  // neighbors by class of row and neighbor
  for (int64_t i = 0; i < table.rows(); ++i) {
    ++sizes[static_cast<size_t>(likely[i])];
    for (int64_t j = 0; j < table.count(); ++j) ++links[{likely[i], likely[table.index(i, j)]}];
  }
  const auto linked = [&](int64_t a, int64_t b) {
    const auto found = links.find({a, b});
    return found == links.end() ? 0.0 : static_cast<double>(found->second);
  };
  // Share of the neighbors in both classes that are in the other one, relative to that of classes
  // that are mixed at random.
  const auto mixing = [&](int64_t a, int64_t b) {
    const auto other = static_cast<double>(sizes[static_cast<size_t>(b)]);
    const auto both = other + static_cast<double>(sizes[static_cast<size_t>(a)]) - 1;
    return linked(a, b) / std::max(linked(a, a) + linked(a, b), 1.0) / (other / both);
  };
  for (const auto& [pair, count] : links) {
    const auto [a, b] = pair;
    if (a == b || (a > b && linked(b, a) > 0)) continue;
    const double overlap = std::min(1.0, (mixing(a, b) + mixing(b, a)) / 2);
    issues.overlaps.push_back({.first = std::min(a, b),
                               .second = std::max(a, b),
                               .overlap = overlap,
                               .is_issue = overlap >= kMinOverlap});
  }
  std::stable_sort(issues.overlaps.begin(), issues.overlaps.end(),
                   [](const auto& a, const auto& b) { return a.overlap > b.overlap; });
}

/// P(Z > z) of a standard normal variable.
double normal_tail(double z) {
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

void find_weak_groups(const IssueRows& rows, const NeighborTable& table, DataIssues& issues) {
  issues.in_weak_group.assign(static_cast<size_t>(table.rows()), false);
  if (rows.groups.empty()) return;
  const auto* given = rows.labels.data_ptr<int64_t>();
  issues.groups.resize(
      static_cast<size_t>(*std::max_element(rows.groups.begin(), rows.groups.end()) + 1));
  std::vector<double> correct(issues.groups.size());
  double all_correct = 0;
  for (int64_t i = 0; i < table.rows(); ++i) {
    const auto group = static_cast<size_t>(rows.groups[static_cast<size_t>(i)]);
    const bool is_correct = count_labels(table, i, given)[0].second == given[i];
    ++issues.groups[group].rows;
    correct[group] += is_correct;
    all_correct += is_correct;
  }
  const auto count = static_cast<double>(table.rows());
  const auto number = static_cast<double>(issues.groups.size());
  for (size_t g = 0; g < correct.size(); ++g) {
    auto& group = issues.groups[g];
    const auto size = static_cast<double>(group.rows);
    if (group.rows == 0 || group.rows == table.rows()) continue;
    group.accuracy = correct[g] / size;
    group.others = (all_correct - correct[g]) / (count - size);
    const double mean = all_correct / count;
    const double error = std::sqrt(mean * (1 - mean) * (1 / size + 1 / (count - size)));
    const double gap = group.others - group.accuracy;
    group.is_issue = gap >= kMinAccuracyGap && normal_tail(gap / error) < kWeakGroupLevel / number;
  }
  for (size_t i = 0; i < rows.groups.size(); ++i) {
    issues.in_weak_group[i] = issues.groups[static_cast<size_t>(rows.groups[i])].is_issue;
  }
}

}  // namespace

DataIssues find_data_issues(const IssueRows& rows) {
  const int64_t count = rows.labels.size(0);
  if (count < 3) fail("issues of ", count, " rows cannot be found, expected at least 3 rows");
  const NeighborTable table(rows.embeddings.contiguous(), std::min(kVotingNeighbors, count - 1));
  DataIssues issues;
  issues.neighbors = table.count();
  find_duplicates(rows, table, issues);
  find_outliers(table, issues);
  find_ambiguous(rows, table, issues);
  find_overlaps(rows, table, issues);
  find_weak_groups(rows, table, issues);
  return issues;
}

}  // namespace projnce::eval
