#include "projnce/encoder/registry.h"

#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"

namespace projnce {

namespace {

/// Builds an encoder whose options have been read.
using BuildEncoder = std::function<EncoderPtr(const InputShape& input)>;

void read_stem(TableReader& reader, ResNetOptions& options) {
  reader.choice("stem", options.stem,
                {{"auto", Stem::kAuto}, {"small", Stem::kSmall}, {"standard", Stem::kStandard}});
}

void read_engine(TableReader& reader, Engine& engine) {
  reader.choice("engine", engine,
                {{"auto", Engine::kAuto}, {"native", Engine::kNative}, {"torch", Engine::kTorch}});
}

template <class EncoderType, class Options>
BuildEncoder builder(const Options& options) {
  return [options](const InputShape& input) {
    Options complete = options;
    complete.input = input;
    return std::make_shared<EncoderType>(complete);
  };
}

BuildEncoder read_resnet18(TableReader& reader) {
  ResNetOptions options;
  read_stem(reader, options);
  read_engine(reader, options.engine);
  return builder<ResNet>(options);
}

/// A ResNet for CPUs: three stages of one block behind a strided stem; `width` channels in the
/// first of them, doubled in each that follows.
BuildEncoder read_resnet_small(TableReader& reader) {
  int64_t width = 16;
  reader.field("width", width, between(8, 512));
  ResNetOptions options{
      .widths = {width, 2 * width, 4 * width}, .blocks_per_stage = 1, .small_stem_stride = 2};
  read_stem(reader, options);
  read_engine(reader, options.engine);
  return builder<ResNet>(options);
}

BuildEncoder read_audio_cnn(TableReader& reader) {
  AudioCnnOptions options;
  reader.field("width", options.width, between(8, 512))
      .choice("pool", options.pool, {{"grid", AudioPool::kGrid}, {"global", AudioPool::kGlobal}});
  read_engine(reader, options.engine);
  return builder<AudioCnn>(options);
}

BuildEncoder read_mlp(TableReader& reader) {
  MlpOptions options;
  reader.field("layers", options.layers, between(0, 16))
      .field("width", options.width, between(1, 65536));
  return builder<Mlp>(options);
}

struct EncoderEntry {
  const char* name;
  BuildEncoder (*read)(TableReader& reader);
};

constexpr std::array kEncoders = {
    EncoderEntry{"audio-cnn", read_audio_cnn},
    EncoderEntry{"mlp", read_mlp},
    EncoderEntry{"resnet-small", read_resnet_small},
    EncoderEntry{"resnet18", read_resnet18},
};

const EncoderEntry& find_encoder(const std::string& name) {
  for (const auto& entry : kEncoders) {
    if (name == entry.name) return entry;
  }
  fail_unknown("encoder", name, encoder_names());
}

struct ModelOptions {
  BuildEncoder build_encoder;
  HeadOptions head;
};

/// Completes the table.
ModelOptions read_model_options(Table& table) {
  TableReader reader(table, "encoder");
  std::string name = "resnet18";
  HeadOptions head;
  reader.field("name", name)
      .choice("head", head.kind,
              {{"mlp", HeadKind::kMlp}, {"linear", HeadKind::kLinear}, {"none", HeadKind::kNone}})
      .field("dim", head.dim, between(1, 65536));
  auto build_encoder = find_encoder(name).read(reader);
  reader.done();
  return {std::move(build_encoder), head};
}

}  // namespace

EmbeddingModelPtr make_model(Table& table, const InputShape& input) {
  const auto options = read_model_options(table);
  return std::make_shared<EmbeddingModel>(options.build_encoder(input), options.head);
}

void complete_encoder_table(Table& table) {
  read_model_options(table);
}

std::vector<std::string> encoder_names() {
  std::vector<std::string> names;
  for (const auto& entry : kEncoders) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce
