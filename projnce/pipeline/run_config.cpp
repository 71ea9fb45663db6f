#include "projnce/pipeline/run_config.h"

#include <algorithm>

#include "projnce/augment/augment_options.h"
#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/dataset/registry.h"
#include "projnce/encoder/registry.h"
#include "projnce/loss/registry.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/input_options.h"
#include "projnce/pipeline/named_data.h"
#include "projnce/pipeline/report_options.h"
#include "projnce/pipeline/setting_keys.h"
#include "projnce/train/train_options.h"

namespace projnce {

namespace {

/// Reads every section of a copy of the table: the owner of a section throws if it is wrong. The
/// encoder is checked later if the data will choose it.
void check_sections(Table table, bool data_chooses_encoder) {
  read_run_settings(table);
  read_train_options(table.tables["train"]);
  read_augment_options(table.tables["augment"]);
  read_input_options(table.tables["input"]);
  read_eval_options(table.tables["eval"]);
  read_report_options(table.tables["report"]);
  if (!data_chooses_encoder) complete_encoder_table(table.tables["encoder"]);
  // Matrices that the configuration names are read when their shape is known.
  make_loss(table.tables["loss"], {.num_classes = 2, .embedding_dim = 2, .feature_dim = 2},
            [](const std::string&) {
              return torch::ones({2, 2});
            });
}

void set_default(Table& table, const std::string& section, const std::string& key, auto value) {
  auto& values = table.tables[section].values;
  if (!values.count(key)) values[key] = Value{value, "the defaults for --data"};
}

/// Points [dataset] at a folder, archive or file, or at a known dataset by its name.
void apply_data(Table& dataset, const std::filesystem::path& data) {
  std::error_code ignored;
  const bool is_path = std::filesystem::exists(data, ignored) || !names_dataset(data.string());
  if (dataset.values.contains("name") && is_path) {
    dataset.values["root"] = Value{data.string(), "--data"};
    return;
  }
  const auto named = dataset_table(data.string());
  dataset.values["name"] = named.values.at("name");
  dataset.values.erase("root");
  if (named.values.contains("root")) dataset.values["root"] = Value{data.string(), "--data"};
}

std::string encoder_for(SampleKind kind) {
  if (kind == SampleKind::kImage) return "resnet-small";
  return kind == SampleKind::kSound ? "audio-cnn" : "mlp";
}

/// Keys of a section that stand at the top level: the section is missing, not the key.
void check_top_level(const Table& table) {
  for (const auto& [key, value] : table.values) {
    if (key == "seed" || key == "threads" || key == "data_root" || key == "version") continue;
    const auto setting = setting_named(key);
    if (setting.empty()) continue;  // the reader of the top level knows the nearest key
    fail(Hint{concat("did you mean '", setting, "'?")},
         value.where.empty() ? "" : value.where + ": ", "unknown key '", key, "'");
  }
}

}  // namespace

void check_run_settings(const Table& table) {
  check_sections(table, /*data_chooses_encoder=*/false);
}

Table read_run_config(const RunRequest& request) {
  Table table = request.config.empty() ? Table{} : read_toml(request.config);
  for (const auto& setting : request.settings) apply_setting(table, setting);
  check_top_level(table);
  if (!request.layout.empty()) {
    check_layout_name(request.layout);
    table.tables["dataset"].values["name"] = Value{request.layout, kLayoutOption};
  }
  if (!request.data.empty()) {
    apply_data(table.tables["dataset"], request.data);
  }
  if (!table.tables["dataset"].values.count("name")) {
    fail(Hint{"give a configuration file, --data FOLDER or --set dataset.name=fashion-mnist"},
         "there is nothing to train on");
  }
  check_sections(table, request.config.empty() && !table.tables["encoder"].values.count("name"));
  return table;
}

Table read_stored_config(const std::filesystem::path& file) {
  auto table = read_toml(file);
  complete_stored_config(table);
  return table;
}

void complete_stored_config(Table& table) {
  auto& dataset = table.tables["dataset"].values;
  if (dataset.contains("test_fraction") && !dataset.contains("split")) {
    dataset["split"] = Value{std::string("shuffle"), {}};
  }
}

RunSettings read_run_settings(Table& table) {
  RunSettings settings;
  std::string version = kVersion;
  TableReader reader(table, "");
  reader.field("seed", settings.seed, at_least(0))
      .field("threads", settings.threads, between(0, 1024))
      .field("data_root", settings.data_root)
      .field("version", version);
  for (const auto* section :
       {"dataset", "input", "augment", "encoder", "loss", "train", "eval", "report"}) {
    reader.section(section);
  }
  reader.done();
  return settings;
}

const std::string& text_setting(const Table& config, const std::string& section,
                                const std::string& key) {
  return std::get<std::string>(config.tables.at(section).values.at(key).data);
}

void apply_quick_defaults(Table& table, SampleKind kind, int64_t train_samples) {
  // About half a million pictures seen: ten epochs of 50 000, a hundred of a few thousand. A
  // spectrogram takes several times the work of a small picture.
  const bool sounds = kind == SampleKind::kSound;
  const int64_t seen = sounds ? 100'000 : 500'000;
  const int64_t epochs = std::clamp<int64_t>(seen / std::max<int64_t>(train_samples, 1), 10, 100);
  const int64_t batch_size = std::clamp<int64_t>(train_samples / 4, 16, 256);
  const bool choose_width = sounds && !table.tables["encoder"].values.count("name");
  set_default(table, "encoder", "name", encoder_for(kind));
  if (choose_width) set_default(table, "encoder", "width", int64_t{16});
  // The contrastive loss that keeps the most accuracy where labels are wrong, at this temperature
  // rather than the paper's: docs/results.md, "Defaults".
  if (!table.tables["loss"].values.count("name")) {
    set_default(table, "loss", "temperature", 0.2);
  }
  set_default(table, "loss", "name", std::string("projnce-mlp"));
  set_default(table, "train", "epochs", epochs);
  set_default(table, "train", "batch_size", batch_size);
  set_default(table, "train", "learning_rate", 0.003);
  set_default(table, "train", "schedule", std::string("cosine"));
  set_default(table, "train", "warmup_epochs", 1.0);
}

}  // namespace projnce
