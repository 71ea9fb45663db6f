#pragma once

#include "projnce/augment/input_format.h"
#include "projnce/export/graph_value.h"
#include "projnce/export/onnx_graph.h"

namespace projnce {

/// The graph's input and what is done to it before the encoder, which gets [batch, C, H, W]:
///
///   image [batch, C, S, S]     pictures on the scale 0..1, standardised by mean and deviation
///   waveform [batch, samples]  sounds of the trained rate and length: log-mel, standardised
///   vector [batch, size]       vectors, standardised
GraphValue add_input_nodes(OnnxGraph& graph, const InputFormat& format);

}  // namespace projnce
