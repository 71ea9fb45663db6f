#pragma once

#include "projnce/encoder/encoder.h"
#include "projnce/encoder/projection_head.h"
#include "projnce/export/graph_value.h"
#include "projnce/export/onnx_graph.h"

namespace projnce {

/// Any encoder of the registry as nodes: [batch, C, H, W] -> [batch, F].
GraphValue add_encoder_nodes(OnnxGraph& graph, const Encoder& encoder, const GraphValue& input);

/// The head as nodes that end in the value `output`: [batch, F] -> [batch, D], of unit length.
GraphValue add_head_nodes(OnnxGraph& graph, const ProjectionHeadImpl& head,
                          const GraphValue& features, const std::string& output);

}  // namespace projnce
