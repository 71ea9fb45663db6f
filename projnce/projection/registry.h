#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/projection/centroid.h"
#include "projnce/projection/median.h"
#include "projnce/projection/mlp.h"
#include "projnce/projection/perp.h"
#include "projnce/projection/projection.h"
#include "projnce/projection/sample.h"

namespace projnce::projection {

/// Reads a matrix from a file. The library itself reads no files: a program passes its reader (for
/// .npy, for example), which `fixed` calls with the path in the configuration.
using MatrixLoader = std::function<torch::Tensor(const std::string& path)>;

/// Sizes and file access that make_projection needs.
struct ProjectionContext {
  int64_t num_classes = 0;        ///< C
  int64_t embedding_dim = 0;      ///< D
  MatrixLoader load_matrix = {};  ///< if empty, a configuration with a file throws an Error
};

/// Options of the projection "fixed" in a configuration.
struct FixedFileOptions {
  std::string file = {};  ///< matrix with one row per class
};

/// Name and options of a projection.
struct ProjectionOptions {
  /// One of projection_names().
  std::string name = "centroid";
  /// Options of the projection; the type belongs to the name. make_projection sets the sizes in
  /// MlpProjectionOptions.
  std::variant<CentroidOptions, FixedFileOptions, MedianOptions, MlpProjectionOptions, PerpOptions,
               SampleOptions>
      own = {};
};

/// Default options of the projection `name`. Throws an Error if the name is unknown.
ProjectionOptions projection_options(const std::string& name);

/// Lists the fields of `own`, without the name.
void list_fields(ProjectionOptions& options, FieldVisitor& fields);
/// Lists the fields without beginning a section.
void list_fields(MedianOptions& options, FieldVisitor& fields);
/// Same.
void list_fields(PerpOptions& options, FieldVisitor& fields);

/// Creates a projection. Reads the file of `fixed`.
ProjectionPtr make_projection(const ProjectionOptions& options, const ProjectionContext& context);

/// Names of all projections.
std::vector<std::string> projection_names();

}  // namespace projnce::projection
