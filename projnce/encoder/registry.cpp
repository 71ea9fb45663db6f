#include "projnce/encoder/registry.h"

#include <array>

#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/encoder/audio_cnn.h"
#include "projnce/encoder/mlp.h"
#include "projnce/encoder/resnet.h"

namespace projnce {

namespace {

using MakeEncoder = EncoderPtr (*)(TableReader& reader, const InputShape& input);

void read_stem(TableReader& reader, ResNetOptions& options) {
  reader.choice("stem", options.stem,
                {{"auto", Stem::kAuto}, {"small", Stem::kSmall}, {"standard", Stem::kStandard}});
}

void read_engine(TableReader& reader, Engine& engine) {
  reader.choice("engine", engine,
                {{"auto", Engine::kAuto}, {"native", Engine::kNative}, {"torch", Engine::kTorch}});
}

EncoderPtr make_resnet18(TableReader& reader, const InputShape& input) {
  ResNetOptions options{.input = input};
  read_stem(reader, options);
  read_engine(reader, options.engine);
  return std::make_shared<ResNet>(options);
}

/// A ResNet for CPUs: three stages of one block behind a strided stem; `width` channels in the
/// first of them, doubled in each that follows.
EncoderPtr make_resnet_small(TableReader& reader, const InputShape& input) {
  int64_t width = 16;
  reader.field("width", width, between(8, 512));
  ResNetOptions options{.input = input,
                        .widths = {width, 2 * width, 4 * width},
                        .blocks_per_stage = 1,
                        .small_stem_stride = 2};
  read_stem(reader, options);
  read_engine(reader, options.engine);
  return std::make_shared<ResNet>(options);
}

EncoderPtr make_audio_cnn(TableReader& reader, const InputShape& input) {
  AudioCnnOptions options{.input = input};
  reader.field("width", options.width, between(8, 512))
      .choice("pool", options.pool, {{"grid", AudioPool::kGrid}, {"global", AudioPool::kGlobal}});
  read_engine(reader, options.engine);
  return std::make_shared<AudioCnn>(options);
}

EncoderPtr make_mlp(TableReader& reader, const InputShape& input) {
  MlpOptions options{.input = input};
  reader.field("layers", options.layers, between(0, 16))
      .field("width", options.width, between(1, 65536));
  return std::make_shared<Mlp>(options);
}

struct EncoderEntry {
  const char* name;
  MakeEncoder make;
};

constexpr std::array kEncoders = {
    EncoderEntry{"audio-cnn", make_audio_cnn},
    EncoderEntry{"mlp", make_mlp},
    EncoderEntry{"resnet-small", make_resnet_small},
    EncoderEntry{"resnet18", make_resnet18},
};

const EncoderEntry& find_encoder(const std::string& name) {
  for (const auto& entry : kEncoders) {
    if (name == entry.name) return entry;
  }
  fail_unknown("encoder", name, encoder_names());
}

}  // namespace

EmbeddingModelPtr make_model(Table& table, const InputShape& input) {
  TableReader reader(table, "encoder");
  std::string name = "resnet18";
  HeadOptions head;
  reader.field("name", name)
      .choice("head", head.kind,
              {{"mlp", HeadKind::kMlp}, {"linear", HeadKind::kLinear}, {"none", HeadKind::kNone}})
      .field("dim", head.dim, between(1, 65536));
  auto encoder = find_encoder(name).make(reader, input);
  reader.done();
  return std::make_shared<EmbeddingModel>(std::move(encoder), head);
}

std::vector<std::string> encoder_names() {
  std::vector<std::string> names;
  for (const auto& entry : kEncoders) names.emplace_back(entry.name);
  return names;
}

}  // namespace projnce
