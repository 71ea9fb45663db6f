#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"

namespace projnce::encoder {

/// "resnet18".
struct ResNet18Options {
  Stem stem = Stem::kAuto;        ///< the first layer
  Engine engine = Engine::kAuto;  ///< who computes
};

/// "resnet-small", a ResNet for CPUs: three stages of one block behind a strided stem.
struct ResNetSmallOptions {
  int64_t width = 16;             ///< channels of the first stage, doubled in each that follows
  Stem stem = Stem::kAuto;        ///< the first layer
  Engine engine = Engine::kAuto;  ///< who computes
};

/// An encoder by its name, with its head.
struct EncoderOptions {
  /// One of encoder_names().
  std::string name = "resnet18";
  /// From features to embeddings.
  HeadOptions head = {};
  /// The encoder's own options, of the type that belongs to the name. `input` of those that have
  /// one is set when the model is made.
  std::variant<ResNet18Options, ResNetSmallOptions, AudioCnnOptions, MlpOptions> network = {};
};

/// The defaults of the encoder of that name. Throws an Error if there is none.
EncoderOptions encoder_options(const std::string& name);

/// The section [encoder] of a configuration.
void list_fields(EncoderOptions& options, FieldVisitor& fields);

/// The options in a table [encoder]. Throws an Error if a key or value is wrong.
EncoderOptions parse_encoder_options(const Table& table);

/// The encoder with its head. Weights are drawn from LibTorch's default generator.
EmbeddingModelPtr make_model(const EncoderOptions& options, const InputShape& input);

/// The names that there are.
std::vector<std::string> encoder_names();

}  // namespace projnce::encoder
