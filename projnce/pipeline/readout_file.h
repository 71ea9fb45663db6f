#pragma once

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/pipeline/trained_model.h"

namespace projnce {

/// Adds the readout, the epoch and its rule to what encoder.safetensors holds: the entry "readout"
/// of the metadata (JSON) and tensors "readout.*".
void write_readout(const TrainedModel& trained, TensorFile& file);

/// Removes the tensors "readout.*" from the file and returns them.
NamedTensors take_readout_tensors(TensorFile& file);

/// Reads them back into `trained`, whose model, loss and classes are there. A file of an older
/// version has none: the model then predicts as that version did, by the trained classifier or the
/// nearest centroid, without probabilities. Throws if the readout does not fit the model.
void read_readout(const TensorFile& file, const NamedTensors& tensors, TrainedModel& trained);

}  // namespace projnce
