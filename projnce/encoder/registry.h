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

/// Options of "resnet18".
struct ResNet18Options {
  Stem stem = Stem::kAuto;        ///< first layer
  Engine engine = Engine::kAuto;  ///< implementation of the convolutions
};

/// Options of "resnet-small", a ResNet for CPUs: a strided stem and three stages of one block.
struct ResNetSmallOptions {
  int64_t width = 16;             ///< channels of the first stage; doubled in each later stage
  Stem stem = Stem::kAuto;        ///< first layer
  Engine engine = Engine::kAuto;  ///< implementation of the convolutions
};

/// Encoder name, its options and the projection head.
struct EncoderOptions {
  /// One of encoder_names().
  std::string name = "resnet18";
  /// Projection head.
  HeadOptions head = {};
  /// Options of the encoder, of the type that belongs to `name`. make_model sets their `input`.
  std::variant<ResNet18Options, ResNetSmallOptions, AudioCnnOptions, MlpOptions> network = {};
};

/// Returns the default options of encoder `name`. Throws if the name is unknown.
EncoderOptions encoder_options(const std::string& name);

/// Lists the fields of section [encoder] of a configuration.
void list_fields(EncoderOptions& options, FieldVisitor& fields);

/// Reads the options from a table [encoder]. Throws if a key or value is invalid.
EncoderOptions parse_encoder_options(const Table& table);

/// Builds the encoder with its head. Weights are initialized from LibTorch's default generator.
EmbeddingModelPtr make_model(const EncoderOptions& options, const InputShape& input);

/// Returns the names of all encoders.
std::vector<std::string> encoder_names();

}  // namespace projnce::encoder
