#pragma once

#include <string>

#include "projnce/loss/grouped_batch.h"

namespace projnce::loss {

/// Checks what a projection returned for this batch: shape, type, device and layout of each field
/// of `projected`. Throws an Error that begins with `source`, such as "generalized-infonce: the
/// positive projection", with the found and the expected value. Strides are free: kernels copy what
/// is not contiguous.
///
/// Values that are not finite are not an error, as in embeddings: the returned batch is `batch`
/// with a `nan_guard` that makes its loss NaN, which trainers skip.
GroupedBatch check_projected(GroupedBatch batch, const projection::Projected& projected,
                             const std::string& source);

/// `projected` with class vectors of unit length (the cosine critic): `vectors`, unless they are
/// the candidates themselves, and `positive`. A zero vector stays zero.
projection::Projected normalize_vectors(projection::Projected projected);

/// How a loss uses the vectors of the classes.
struct ClassVectorOptions {
  bool normalize = false;  ///< if true, scale them to unit length
  bool detach = false;     ///< if true, no gradient flows into them
};

/// A batch with the vectors g_c of its classes.
struct ClassVectors {
  GroupedBatch batch;       ///< as check_projected returns it
  projection::Projected g;  ///< their class vectors
};

/// Checks class vectors as check_projected does, then applies the options; `loss` begins errors.
ClassVectors use_class_vectors(const GroupedBatch& batch, projection::Projected g,
                               const ClassVectorOptions& options, const std::string& loss);

}  // namespace projnce::loss
