#include "projnce/encoder/registry.h"

#include <array>
#include <memory>
#include <utility>

#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"

namespace projnce::encoder {

namespace {

void list_stem_and_engine(Stem& stem, Engine& engine, FieldVisitor& fields) {
  fields
      .choice("stem", stem,
              {{"auto", Stem::kAuto}, {"small", Stem::kSmall}, {"standard", Stem::kStandard}})
      .choice("engine", engine,
              {{"auto", Engine::kAuto}, {"native", Engine::kNative}, {"torch", Engine::kTorch}});
}

void list_network(ResNet18Options& options, FieldVisitor& fields) {
  list_stem_and_engine(options.stem, options.engine, fields);
}

void list_network(ResNetSmallOptions& options, FieldVisitor& fields) {
  fields.field("width", options.width, between(8, 512));
  list_stem_and_engine(options.stem, options.engine, fields);
}

void list_network(AudioCnnOptions& options, FieldVisitor& fields) {
  fields.field("width", options.width, between(8, 512))
      .choice("pool", options.pool, {{"grid", AudioPool::kGrid}, {"global", AudioPool::kGlobal}})
      .choice("engine", options.engine,
              {{"auto", Engine::kAuto}, {"native", Engine::kNative}, {"torch", Engine::kTorch}});
}

void list_network(MlpOptions& options, FieldVisitor& fields) {
  fields.field("layers", options.layers, between(0, 16))
      .field("width", options.width, between(1, 65536));
}

EncoderPtr make_network(const ResNet18Options& options, const InputShape& input) {
  return std::make_shared<ResNet>(
      ResNetOptions{.input = input, .stem = options.stem, .engine = options.engine});
}

EncoderPtr make_network(const ResNetSmallOptions& options, const InputShape& input) {
  return std::make_shared<ResNet>(
      ResNetOptions{.input = input,
                    .widths = {options.width, 2 * options.width, 4 * options.width},
                    .blocks_per_stage = 1,
                    .stem = options.stem,
                    .small_stem_stride = 2,
                    .engine = options.engine});
}

EncoderPtr make_network(AudioCnnOptions options, const InputShape& input) {
  options.input = input;
  return std::make_shared<AudioCnn>(options);
}

EncoderPtr make_network(MlpOptions options, const InputShape& input) {
  options.input = input;
  return std::make_shared<Mlp>(options);
}

using NetworkOptions = decltype(EncoderOptions::network);

struct EncoderEntry {
  const char* name;
  NetworkOptions (*defaults)();
};

template <class Options>
NetworkOptions network_defaults() {
  return Options{};
}

constexpr std::array kEncoders = {
    // alphabetical
    EncoderEntry{"audio-cnn", network_defaults<AudioCnnOptions>},
    EncoderEntry{"mlp", network_defaults<MlpOptions>},
    EncoderEntry{"resnet-small", network_defaults<ResNetSmallOptions>},
    EncoderEntry{"resnet18", network_defaults<ResNet18Options>},
};

NetworkOptions default_network(const std::string& name) {
  for (const auto& entry : kEncoders) {
    if (name == entry.name) return entry.defaults();
  }
  fail_unknown("encoder", name, encoder_names());
}

}  // namespace

EncoderOptions encoder_options(const std::string& name) {
  EncoderOptions options;
  options.name = name;
  options.network = default_network(name);
  return options;
}

void list_fields(EncoderOptions& options, FieldVisitor& fields) {
  const auto before = options.name;
  fields.field("name", options.name)
      .choice("head", options.head.kind,
              {{"mlp", HeadKind::kMlp}, {"linear", HeadKind::kLinear}, {"none", HeadKind::kNone}})
      .field("dim", options.head.dim, between(1, 65536));
  if (options.name != before) options.network = default_network(options.name);
  std::visit([&fields](auto& network) { list_network(network, fields); }, options.network);
}

EncoderOptions parse_encoder_options(const Table& table) {
  return read_options<EncoderOptions>(table, "encoder");
}

EmbeddingModelPtr make_model(const EncoderOptions& options, const InputShape& input) {
  TORCH_CHECK(options.network.index() == default_network(options.name).index(),
              "make_model: the network options do not match the encoder name ", options.name);
  auto encoder = std::visit([&input](const auto& network) { return make_network(network, input); },
                            options.network);
  return std::make_shared<EmbeddingModel>(std::move(encoder), options.head);
}

std::vector<std::string> encoder_names() {
  std::vector<std::string> names;
  for (const auto& entry : kEncoders) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce::encoder
