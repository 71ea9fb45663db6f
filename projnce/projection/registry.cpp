#include "projnce/projection/registry.h"

#include <array>
#include <string_view>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/projection/centroid.h"
#include "projnce/projection/fixed.h"
#include "projnce/projection/mlp.h"
#include "projnce/projection/sample.h"

namespace projnce {

namespace {

void read_fields(TableReader& reader, CentroidOptions& options) {
  reader
      .choice("rows", options.rows,
              {{"loo_i", CentroidRows::kNotAnchor},
               {"full", CentroidRows::kAll},
               {"loo_k", CentroidRows::kNotRow}})
      .field("detach", options.detach);
}

void read_fields(TableReader& reader, SampleOptions& options) {
  reader.field("detach", options.detach);
}

/// For the projections that are made of options alone.
template <class Made, class Options>
ProjectionPtr make_from_options(Table& table, const ProjectionContext& /*context*/) {
  Options options;
  TableReader reader(table, "projection");
  read_fields(reader, options);
  reader.done();
  return std::make_shared<Made>(options);
}

ProjectionPtr make_fixed(Table& table, const ProjectionContext& context) {
  std::string file;
  TableReader(table, "projection").field("file", file).done();
  if (file.empty()) {
    fail(Hint{"give file = \"vectors.npy\", a matrix with a row for each class"},
         "projection fixed: file is missing");
  }
  if (!context.load_matrix) {
    fail("projection fixed: this program cannot read ", file, ": it gave no matrix loader");
  }
  return std::make_shared<FixedProjection>(
      FixedOptions{.vectors = context.load_matrix(file).to(torch::kFloat32)});
}

ProjectionPtr make_mlp(Table& table, const ProjectionContext& context) {
  MlpProjectionOptions options{.num_classes = context.num_classes,
                               .embedding_dim = context.embedding_dim};
  TableReader(table, "projection").field("hidden", options.hidden, at_least(0)).done();
  return std::make_shared<MlpProjection>(options);
}

struct ProjectionEntry {
  std::string_view name;
  ProjectionPtr (*make)(Table& table, const ProjectionContext& context);
};

constexpr std::array kProjections = {
    // alphabetical
    ProjectionEntry{"centroid", make_from_options<CentroidProjection, CentroidOptions>},
    ProjectionEntry{"fixed", make_fixed},
    ProjectionEntry{"median", make_from_options<MedianProjection, MedianOptions>},
    ProjectionEntry{"mlp", make_mlp},
    ProjectionEntry{"perp", make_from_options<PerpProjection, PerpOptions>},
    ProjectionEntry{"sample", make_from_options<SampleProjection, SampleOptions>},
};

}  // namespace

void read_fields(TableReader& reader, MedianOptions& options) {
  reader.choice("median", options.median,
                {{"lower", MedianKind::kLower},
                 {"mean", MedianKind::kMean},
                 {"geometric", MedianKind::kGeometric}});
}

void read_fields(TableReader& reader, PerpOptions& options) {
  reader
      .choice("soft_source", options.soft_source,
              {{"given", SoftSource::kGiven}, {"nw", SoftSource::kNadarayaWatson}})
      .choice("kernel", options.nw.kernel,
              {{"epanechnikov", SmoothingKernel::kEpanechnikov},
               {"triangular", SmoothingKernel::kTriangular},
               {"mixed", SmoothingKernel::kMixed},
               {"exponential", SmoothingKernel::kExponential}})
      .choice("metric", options.nw.metric,
              {{"l1", Metric::kL1}, {"l2", Metric::kL2}, {"cosine", Metric::kCosine}})
      .field("bandwidth", options.nw.bandwidth, above(0))
      .choice("distance_scale", options.nw.distance_scale,
              {{"none", DistanceScale::kNone}, {"unit", DistanceScale::kUnit}})
      .field("nw_exclude_self", options.nw.exclude_self)
      .field("detach_q", options.detach_q);
}

ProjectionPtr make_projection(const std::string& name, Table& table,
                              const ProjectionContext& context) {
  for (const auto& entry : kProjections) {
    if (entry.name == name) return entry.make(table, context);
  }
  fail_unknown("projection", name, projection_names());
}

std::vector<std::string> projection_names() {
  std::vector<std::string> names;
  for (const auto& entry : kProjections) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce
