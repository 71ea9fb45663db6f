#pragma once

#include "projnce/distributed/ranks.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loader/batch.h"
#include "projnce/loss/loss.h"

namespace projnce {

/// The loss of the batch that all ranks hold together, each its part of it. `leaves` are this
/// rank's encoded rows, possibly none.
///
/// Every rank compares its own rows, as anchors, with the rows of all. Its value is weighted by its
/// share of the rows, so that the sum over ranks is what one process would compute on the whole
/// batch; the gradient by a row is collected from all ranks that compared theirs with it and put on
/// `leaves`. That is exact for every loss, whatever it makes of the rows it compares with. The
/// loss's own parameters get this rank's part of their gradient.
///
/// Returns this rank's part of the value and of each of its parts, without graph. A collective:
/// every rank calls it.
LossValue backward_global_loss(Ranks& ranks, Loss& loss, const Encoded& leaves, const Batch& batch);

}  // namespace projnce
