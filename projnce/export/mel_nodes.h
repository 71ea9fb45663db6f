#pragma once

#include <string>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/export/onnx_graph.h"

namespace projnce {

/// LogMel as nodes: [batch, options.samples()] -> [batch, mels, frames]. Spectra are computed in
/// double precision, as LogMel does: in single precision a loud tone drowns what is far below it.
std::string add_log_mel_nodes(OnnxGraph& graph, const std::string& waveform,
                              const MelOptions& options);

}  // namespace projnce
