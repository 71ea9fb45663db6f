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

/// Reads the matrix in a file. The library knows no file format: the program that has one (`.npy`)
/// passes its reader, and `fixed` calls it with the path from the configuration.
using MatrixLoader = std::function<torch::Tensor(const std::string& path)>;

/// What projections with parameters or files are made for.
struct ProjectionContext {
  int64_t num_classes = 0;        ///< C
  int64_t embedding_dim = 0;      ///< D
  MatrixLoader load_matrix = {};  ///< empty: a configuration that names a file is an Error
};

/// The projection "fixed" of a configuration.
struct FixedFileOptions {
  std::string file = {};  ///< a matrix with a row for each class
};

/// A projection by its name.
struct ProjectionOptions {
  /// One of projection_names().
  std::string name = "centroid";
  /// The projection's own options, of the type that belongs to the name. The sizes of
  /// MlpProjectionOptions are set when the projection is made.
  std::variant<CentroidOptions, FixedFileOptions, MedianOptions, MlpProjectionOptions, PerpOptions,
               SampleOptions>
      own = {};
};

/// The defaults of the projection of that name. Throws an Error if there is none.
ProjectionOptions projection_options(const std::string& name);

/// The fields of `own`: a section of a configuration that has the name elsewhere.
void list_fields(ProjectionOptions& options, FieldVisitor& fields);
/// As fields among others.
void list_fields(MedianOptions& options, FieldVisitor& fields);
/// Likewise.
void list_fields(PerpOptions& options, FieldVisitor& fields);

/// Makes the projection; reads the file that `fixed` names.
ProjectionPtr make_projection(const ProjectionOptions& options, const ProjectionContext& context);

/// The names that there are.
std::vector<std::string> projection_names();

}  // namespace projnce::projection
