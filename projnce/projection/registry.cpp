#include "projnce/projection/registry.h"

#include <array>
#include <memory>
#include <string_view>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/projection/fixed.h"

namespace projnce::projection {

namespace {

void list_fields(CentroidOptions& options, FieldVisitor& fields) {
  fields
      .choice("rows", options.rows,
              {{"leave_one_out", CentroidRows::kNotAnchor},
               {"full", CentroidRows::kAll},
               {"leave_row_out", CentroidRows::kNotRow}},
              {{"loo_i", "leave_one_out"}, {"loo_k", "leave_row_out"}})
      .field("detach", options.detach);
}

void list_fields(FixedFileOptions& options, FieldVisitor& fields) {
  fields.field("file", options.file).check([&options] {
    if (!options.file.empty()) return;
    fail(Hint{"give file = \"vectors.npy\", a matrix with a row for each class"},
         "projection fixed: file is missing");
  });
}

void list_fields(MlpProjectionOptions& options, FieldVisitor& fields) {
  fields.field("hidden", options.hidden, at_least(0));
}

void list_fields(SampleOptions& options, FieldVisitor& fields) {
  fields.field("detach", options.detach);
}

ProjectionPtr make_own(const CentroidOptions& options, const ProjectionContext& /*context*/) {
  return std::make_shared<CentroidProjection>(options);
}

ProjectionPtr make_own(const FixedFileOptions& options, const ProjectionContext& context) {
  if (!context.load_matrix) {
    fail("projection fixed: cannot read ", options.file, ": it gave no matrix loader");
  }
  return std::make_shared<FixedProjection>(
      FixedOptions{.vectors = context.load_matrix(options.file).to(torch::kFloat32)});
}

ProjectionPtr make_own(const MedianOptions& options, const ProjectionContext& /*context*/) {
  return std::make_shared<MedianProjection>(options);
}

ProjectionPtr make_own(MlpProjectionOptions options, const ProjectionContext& context) {
  options.num_classes = context.num_classes;
  options.embedding_dim = context.embedding_dim;
  return std::make_shared<MlpProjection>(options);
}

ProjectionPtr make_own(const PerpOptions& options, const ProjectionContext& /*context*/) {
  return std::make_shared<PerpProjection>(options);
}

ProjectionPtr make_own(const SampleOptions& options, const ProjectionContext& /*context*/) {
  return std::make_shared<SampleProjection>(options);
}

using OwnProjectionOptions = decltype(ProjectionOptions::own);

struct ProjectionEntry {
  std::string_view name;
  OwnProjectionOptions (*defaults)();
};

template <class Options>
OwnProjectionOptions projection_defaults() {
  return Options{};
}

constexpr std::array kProjections = {
    // alphabetical
    ProjectionEntry{"centroid", projection_defaults<CentroidOptions>},
    ProjectionEntry{"fixed", projection_defaults<FixedFileOptions>},
    ProjectionEntry{"median", projection_defaults<MedianOptions>},
    ProjectionEntry{"mlp", projection_defaults<MlpProjectionOptions>},
    ProjectionEntry{"perp", projection_defaults<PerpOptions>},
    ProjectionEntry{"sample", projection_defaults<SampleOptions>},
};

}  // namespace

ProjectionOptions projection_options(const std::string& name) {
  for (const auto& entry : kProjections) {
    if (entry.name == name) return {name, entry.defaults()};
  }
  fail_unknown("projection", name, projection_names());
}

void list_fields(MedianOptions& options, FieldVisitor& fields) {
  fields.choice("median", options.median,
                {{"lower", MedianKind::kLower},
                 {"mean", MedianKind::kMean},
                 {"geometric", MedianKind::kGeometric}});
}

void list_fields(PerpOptions& options, FieldVisitor& fields) {
  fields
      .choice("soft_source", options.soft_source,
              {{"given", SoftSource::kGiven},
               {"nw", SoftSource::kNadarayaWatson},
               {"hard", SoftSource::kHard}})
      .choice("kernel", options.nw.kernel,
              {{"epanechnikov", kernel::SmoothingKernel::kEpanechnikov},
               {"triangular", kernel::SmoothingKernel::kTriangular},
               {"mixed", kernel::SmoothingKernel::kMixed},
               {"exponential", kernel::SmoothingKernel::kExponential}})
      .choice("metric", options.nw.metric,
              {{"l1", kernel::Metric::kL1},
               {"l2", kernel::Metric::kL2},
               {"cosine", kernel::Metric::kCosine}})
      .field("bandwidth", options.nw.bandwidth, above(0))
      .choice("distance_scale", options.nw.distance_scale,
              {{"none", DistanceScale::kNone}, {"unit", DistanceScale::kUnit}})
      .field("nw_exclude_self", options.nw.exclude_self)
      .field("detach_q", options.detach_q);
}

void list_fields(ProjectionOptions& options, FieldVisitor& fields) {
  std::visit([&fields](auto& own) { list_fields(own, fields); }, options.own);
}

ProjectionPtr make_projection(const ProjectionOptions& options, const ProjectionContext& context) {
  TORCH_CHECK(options.own.index() == projection_options(options.name).own.index(),
              "make_projection: the options are not those of ", options.name);
  return std::visit([&context](const auto& own) { return make_own(own, context); }, options.own);
}

std::vector<std::string> projection_names() {
  std::vector<std::string> names;
  for (const auto& entry : kProjections) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce::projection
