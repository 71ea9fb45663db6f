#include "projnce/loss/projected_check.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce::loss {

namespace {

/// A field of Projected, and its name in error messages.
struct ProjectedField {
  const std::string& source;
  const char* name;
  const torch::Tensor& tensor;

  /// Checks that the tensor is dense and on the device of `like`.
  void check_storage(const torch::Tensor& like) const {
    if (tensor.layout() != torch::kStrided) {
      fail(Hint{"convert it with to_dense()"}, source, " returned ", name, " with the layout ",
           tensor.layout(), ", expected a dense tensor");
    }
    if (tensor.device() != like.device()) {
      fail(Hint{"move the projection to the device of the embeddings"}, source, " returned ", name,
           " on ", tensor.device(), ", expected ", like.device(), ", where the embeddings are");
    }
  }

  void check_type(torch::ScalarType expected, const std::string& hint) const {
    if (tensor.scalar_type() == expected) return;
    fail(Hint{hint}, source, " returned ", name, " of type ", tensor.scalar_type(), ", expected ",
         expected);
  }

  void check_shape(torch::IntArrayRef expected, const std::string& meaning,
                   const std::string& hint = {}) const {
    if (tensor.sizes() == expected) return;
    fail(Hint{hint}, source, " returned ", name, " of shape ", tensor.sizes(), ", expected ",
         expected, ": ", meaning);
  }
};

/// Hint for an unexpected number of vectors; empty if the cause is unknown.
std::string count_hint(const projection::Projected& projected, int64_t rows, int64_t classes) {
  if (projected.vectors.dim() != 2) return {};
  const auto count = projected.vectors.size(0);
  if (projected.per_row) {
    return count == classes ? "set per_row to false for one vector per class" : "";
  }
  if (count == rows) return "set per_row to true for one vector per row";
  return count > classes ? "select the classes of the batch: "
                           "vectors.index_select(0, candidates.groups.labels)"
                         : "";
}

constexpr auto kTypeHint = "convert it with .to(candidates.rows.scalar_type())";

void check_vectors(const projection::CandidateRows& candidates,
                   const projection::Projected& projected, const std::string& source) {
  if (!projected.vectors.defined()) {
    fail(source, " returned no vectors, expected a matrix with a row for each class");
  }
  const ProjectedField field{source, "vectors", projected.vectors};
  const auto classes = candidates.groups.size();
  const auto dim = candidates.rows.size(1);
  field.check_storage(candidates.rows);
  field.check_shape({projected.per_row ? candidates.size() : classes, dim},
                    projected.per_row ? "a vector for each row of the batch, as wide as the "
                                        "embeddings"
                                      : "a vector for each class in the batch, as wide as the "
                                        "embeddings",
                    count_hint(projected, candidates.size(), classes));
  field.check_type(candidates.rows.scalar_type(), kTypeHint);
}

void check_positive_vectors(const projection::CandidateRows& candidates,
                            const projection::Projected& projected, const std::string& source) {
  if (projected.positive.defined()) {
    const ProjectedField positive{source, "positive", projected.positive};
    positive.check_storage(candidates.rows);
    positive.check_shape({candidates.num_anchors, candidates.rows.size(1)},
                         "a vector for each anchor, as wide as the embeddings");
    positive.check_type(candidates.rows.scalar_type(), kTypeHint);
  }
  if (projected.has_positive.defined()) {
    const ProjectedField exists{source, "has_positive", projected.has_positive};
    exists.check_storage(candidates.rows);
    exists.check_shape({candidates.groups.size()}, "a flag for each class in the batch");
    exists.check_type(torch::kBool, "compare, as in counts > 1");
  }
}

}  // namespace

GroupedBatch check_projected(GroupedBatch batch, const projection::Projected& projected,
                             const std::string& source) {
  check_vectors(batch.candidates, projected, source);
  check_positive_vectors(batch.candidates, projected, source);
  // The rows of the batch are checked already.
  if (!projected.vectors.is_same(batch.anchors)) {
    batch.nan_guard = batch.nan_guard + nan_guard(projected.vectors.detach());
  }
  if (projected.positive.defined()) {
    batch.nan_guard = batch.nan_guard + nan_guard(projected.positive.detach());
  }
  return batch;
}

projection::Projected normalize_vectors(projection::Projected projected) {
  if (!projected.is_sample) projected.vectors = projection::unit_rows(projected.vectors);
  if (projected.positive.defined()) projected.positive = projection::unit_rows(projected.positive);
  return projected;
}

ClassVectors use_class_vectors(const GroupedBatch& batch, projection::Projected g,
                               const ClassVectorOptions& options, const std::string& loss) {
  auto checked = check_projected(batch, g, loss + ": the projection");
  if (options.normalize) g = normalize_vectors(std::move(g));
  if (options.detach) g.vectors = g.vectors.detach();
  return {std::move(checked), std::move(g)};
}

}  // namespace projnce::loss
