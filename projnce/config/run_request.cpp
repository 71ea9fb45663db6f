#include "projnce/config/run_request.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "projnce/config/default_config.h"
#include "projnce/config/run_config.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/dataset/registry.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

namespace projnce::config {

namespace {

bool is_dataset_path(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_directory(what, ignored) ||
         (std::filesystem::exists(what, ignored) &&
          (io::is_archive_name(what) || dataset::is_embeddings_file(what) ||
           io::is_table_name(what)));
}

bool is_dataset_name(const std::string& what) {
  const auto names = dataset::dataset_names();
  return std::find(names.begin(), names.end(), what) != names.end();
}

}  // namespace

dataset::DatasetOptions named_dataset(const std::string& what, const std::string& layout) {
  if (!layout.empty()) dataset::check_layout_name(layout);
  std::error_code ignored;
  if (is_dataset_path(what) || (!layout.empty() && std::filesystem::exists(what, ignored))) {
    auto options = dataset::dataset_options(
        layout.empty() ? dataset::recognize_dataset(what).value_or("folder") : layout);
    options.layout_chosen = !layout.empty();
    options.root = what;
    return options;
  }
  if (is_dataset_name(what)) return dataset::dataset_options(what);
  if (std::filesystem::exists(what, ignored)) {
    fail(io::printable(what),
         " is not a folder, an archive (.zip, .tar, .tar.gz, ...), a table (.csv, .tsv, .jsonl) or "
         "a "
         ".npy file");
  }
  fail(Hint{concat("datasets: ", join(dataset::dataset_names()))},
       "no dataset, folder, archive or file '", io::printable(what), "'");
}

bool names_dataset(const std::string& what) {
  return is_dataset_path(what) || is_dataset_name(what);
}

namespace {

void set_default(Table& table, const std::string& section, const std::string& key, auto value) {
  auto& values = table.tables[section].values;
  if (!values.count(key)) values[key] = Value{value, "defaults for --data"};
}

/// Sets [dataset] to a folder, archive or file, or to a known dataset by name.
void apply_data(Table& dataset, const std::filesystem::path& data) {
  std::error_code ignored;
  const bool is_path = std::filesystem::exists(data, ignored) || !names_dataset(data.string());
  if (dataset.values.contains("name") && is_path) {
    dataset.values["root"] = Value{data.string(), "--data"};
    return;
  }
  const auto named = named_dataset(data.string());
  dataset.values["name"] = Value{named.name, data.string()};
  dataset.values.erase("root");
  if (!named.root.empty()) dataset.values["root"] = Value{data.string(), "--data"};
}

/// Sets the options of a table that are not empty.
void apply_table(Table& dataset, const dataset::TableOptions& table) {
  const auto& columns = table.columns;
  const auto set = [&](const char* key, const char* option, const std::string& text) {
    if (!text.empty()) dataset.values[key] = Value{text, option};
  };
  const auto set_list = [&](const char* key, const char* option, const auto& names) {
    if (names.empty()) return;
    Value::Array list;
    for (const auto& name : names) list.push_back(Value{name, option});
    dataset.values[key] = Value{list, option};
  };
  set("label", "--label", columns.label);
  set_list("votes", "--votes", columns.votes);
  set("image", "--image", columns.image);
  set("audio", "--audio", columns.audio);
  set("id", "--id", columns.id);
  set("split_column", "--split", columns.split);
  set_list("feature_columns", "--feature-columns", columns.embedding);
  set("embeddings", "--embeddings", table.embeddings);
}

std::string encoder_for(SampleKind kind) {
  if (kind == SampleKind::kImage) return "resnet-small";
  return kind == SampleKind::kAudio ? "audio-cnn" : "mlp";
}

/// Throws if a top-level key belongs to a section, and suggests the full key.
void check_top_level(const Table& table) {
  for (const auto& [key, value] : table.values) {
    if (key == "seed" || key == "threads" || key == "data_root" || key == "version") continue;
    const auto setting = setting_named(key);
    if (setting.empty()) continue;  // TableReader suggests the closest key
    fail(Hint{concat("did you mean '", setting, "'?")},
         value.where.empty() ? "" : value.where + ": ", "unknown key '", key, "'");
  }
}

/// Also checks the settings: an unknown key or invalid value throws.
std::vector<Deprecation> find_deprecations(const Table& settings, EncoderChoice choice) {
  TableReader reader(settings, "");
  parse_run_config(reader, choice);
  return reader.deprecations();
}

}  // namespace

Table requested_settings(const RunRequest& request, std::vector<std::string>* deprecations) {
  Table settings = request.config.empty() ? Table{} : read_toml(request.config);
  for (const auto& setting : request.settings) apply_setting(settings, setting);
  check_top_level(settings);
  if (!request.layout.empty()) {
    dataset::check_layout_name(request.layout);
    settings.tables["dataset"].values["name"] = Value{request.layout, dataset::kLayoutOption};
  }
  if (!request.data.empty()) apply_data(settings.tables["dataset"], request.data);
  apply_table(settings.tables["dataset"], request.table);
  if (!request.corrections.empty()) {
    settings.tables["dataset"].values["corrections"] =
        Value{request.corrections.string(), "--corrections"};
  }
  if (!settings.tables["dataset"].values.contains("name")) {
    fail(Hint{"use a configuration file, --data FOLDER or --set dataset.name=fashion-mnist"},
         "no training data given");
  }
  const auto found = find_deprecations(settings, data_chooses_encoder(request, settings)
                                                     ? EncoderChoice::kData
                                                     : EncoderChoice::kSettings);
  use_present_names(settings, found);
  if (deprecations) {
    for (const auto& deprecation : found) deprecations->push_back(deprecation.message);
  }
  return settings;
}

bool data_chooses_encoder(const RunRequest& request, const Table& settings) {
  const auto encoder = settings.tables.find("encoder");
  const bool named = encoder != settings.tables.end() && encoder->second.values.contains("name");
  return request.config.empty() && !named;
}

Table read_stored_settings(const std::filesystem::path& file) {
  auto settings = read_toml(file);
  complete_stored_settings(settings);
  return settings;
}

void complete_stored_settings(Table& settings) {
  auto& dataset = settings.tables["dataset"].values;
  if (dataset.contains("test_fraction") && !dataset.contains("split")) {
    dataset["split"] = Value{std::string("shuffle"), {}};
  }
  try {
    use_present_names(settings, find_deprecations(settings, EncoderChoice::kSettings));
  } catch (const Error&) {
    // Invalid settings are reported when they are parsed for use.
  }
}

std::vector<std::string> use_present_names_of_changes(Table& changes, const Table& stored) {
  auto settings = changes;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    const auto found = stored.tables.find(section);
    if (found == stored.tables.end() || !found->second.values.contains("name")) continue;
    settings.tables[section].values.insert({"name", found->second.values.at("name")});
  }
  std::vector<std::string> messages;
  try {
    const auto deprecations = find_deprecations(settings, EncoderChoice::kSettings);
    use_present_names(changes, deprecations);
    for (const auto& deprecation : deprecations) messages.push_back(deprecation.message);
  } catch (const Error&) {
    // Invalid settings are reported when they are parsed for use.
  }
  return messages;
}

void apply_auto_config(Table& settings, SampleKind kind, int64_t train_samples) {
  // About 500,000 images in total: 10 epochs of 50,000, 100 epochs of a few thousand. A spectrogram
  // takes several times the work of a small image.
  const bool audio = kind == SampleKind::kAudio;
  const int64_t total_samples = audio ? 100'000 : 500'000;
  const int64_t epochs =
      std::clamp<int64_t>(total_samples / std::max<int64_t>(train_samples, 1), 10, 100);
  const int64_t batch_size = std::clamp<int64_t>(train_samples / 4, 16, 256);
  const bool choose_width = audio && !settings.tables["encoder"].values.count("name");
  set_default(settings, "encoder", "name", encoder_for(kind));
  if (choose_width) set_default(settings, "encoder", "width", int64_t{16});
  // The contrastive loss that is most accurate under label noise, with a temperature other than the
  // paper's: see docs/reports/results.md, "Defaults".
  if (!settings.tables["loss"].values.count("name")) {
    set_default(settings, "loss", "temperature", 0.2);
  }
  set_default(settings, "loss", "name", std::string("projnce-mlp"));
  set_default(settings, "train", "epochs", epochs);
  set_default(settings, "train", "batch_size", batch_size);
  set_default(settings, "train", "learning_rate", 0.003);
  set_default(settings, "train", "schedule", std::string("cosine"));
  set_default(settings, "train", "warmup_epochs", 1.0);
}

}  // namespace projnce::config
