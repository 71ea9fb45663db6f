#pragma once

#include <functional>
#include <string>
#include <vector>

#include "projnce/core/table_reader.h"
#include "projnce/projection/median.h"
#include "projnce/projection/perp.h"
#include "projnce/projection/projection.h"

namespace projnce {

/// Reads the matrix in a file. The library knows no file format: the program that has one (`.npy`)
/// passes its reader, and `fixed` calls it with the path from the configuration.
using MatrixLoader = std::function<torch::Tensor(const std::string& path)>;

/// What projections with parameters or files are made for.
struct ProjectionContext {
  int64_t num_classes = 0;        ///< C
  int64_t embedding_dim = 0;      ///< D
  MatrixLoader load_matrix = {};  ///< empty: a configuration that names a file is an Error
};

/// The projection called `name`, with the options in `table` (all of its keys); completes the
/// table.
ProjectionPtr make_projection(const std::string& name, Table& table,
                              const ProjectionContext& context);

/// The names that make_projection knows.
std::vector<std::string> projection_names();

/// The fields of one projection among others in a table.
void read_fields(TableReader& reader, MedianOptions& options);
/// Likewise.
void read_fields(TableReader& reader, PerpOptions& options);

}  // namespace projnce
