#include "projnce/config/run_request.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "projnce/config/run_config.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/table.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/dataset/registry.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::config {

namespace {

void append_keys(const Table& table, const std::string& prefix, std::vector<std::string>& keys) {
  for (const auto& [key, value] : table.values) keys.push_back(prefix + key);
  for (const auto& [name, section] : table.tables) append_keys(section, prefix + name + ".", keys);
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

std::vector<std::string> setting_keys() {
  // Settings that DefaultConfig excludes because they are names or depend on the machine.
  std::vector<std::string> keys = {"threads", "data_root", "dataset.name", "encoder.name",
                                   "loss.name"};
  Table names;
  names.tables["dataset"].values["name"] = Value{std::string("folder"), {}};
  names.tables["encoder"].values["name"] = Value{std::string("resnet-small"), {}};
  names.tables["loss"].values["name"] = Value{std::string("projnce-mlp"), {}};
  append_keys(DefaultConfig().of(names), "", keys);
  return keys;
}

std::string setting_named(const std::string& name) {
  const auto key_name = with_underscores(name);
  std::string found;
  for (const auto& key : setting_keys()) {
    if (key == key_name || key == key_name + ".name" || key == "train." + key_name) return key;
    // Prefer the shortest key: loss.x over augment.sound.x.
    if (key.ends_with("." + key_name) && (found.empty() || key.size() < found.size())) found = key;
  }
  return found;
}

std::string nearest_setting(const std::string& name) {
  std::vector<std::string> last_parts;
  for (const auto& key : setting_keys()) last_parts.push_back(key.substr(key.rfind('.') + 1));
  const auto nearest = nearest_name(with_underscores(name), last_parts);
  return nearest.empty() ? "" : setting_named(nearest);
}

namespace {

dataset::DatasetOptions seeded_dataset_options(const std::string& name) {
  auto options = dataset::dataset_options(name);
  dataset::seed_noise(options, static_cast<uint64_t>(RunSettings{}.seed));
  return options;
}

/// Default options for `name`, without the name itself; empty if this version does not know it.
template <class Options>
Table defaults_of(Options (*named)(const std::string&), const std::string& name) {
  try {
    auto table = to_table(named(name));
    table.values.erase("name");
    return table;
  } catch (const Error&) {
    return {};
  }
}

std::string name_in(const Table& config, const char* section) {
  return config_text(config, section, "name");
}

Table make_defaults(const Table& config) {
  auto table = to_table(RunConfig{});
  for (const auto* key : {"threads", "version", "data_root"}) table.values.erase(key);
  table.tables.erase("input");
  table.tables["dataset"] = defaults_of(seeded_dataset_options, name_in(config, "dataset"));
  table.tables["encoder"] = defaults_of(encoder::encoder_options, name_in(config, "encoder"));
  table.tables["loss"] = defaults_of(loss::loss_options, name_in(config, "loss"));
  return table;
}

}  // namespace

const Table& DefaultConfig::of(const Table& config) {
  std::string names;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    names += name_in(config, section) + "\n";
  }
  const auto found = cache_.find(names);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(names, make_defaults(config)).first->second;
}

namespace {

bool is_dataset_path(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_directory(what, ignored) ||
         (std::filesystem::exists(what, ignored) &&
          (io::is_archive_name(what) || dataset::is_embeddings_file(what)));
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
         " is not a folder, an archive (.zip, .tar, .tar.gz, ...) or a .npy file");
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

std::string encoder_for(SampleKind kind) {
  if (kind == SampleKind::kImage) return "resnet-small";
  return kind == SampleKind::kSound ? "audio-cnn" : "mlp";
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
  try {
    use_present_names(settings, find_deprecations(settings, EncoderChoice::kSettings));
  } catch (const Error&) {
    // Invalid settings are reported when they are parsed for use.
  }
  return settings;
}

void complete_stored_settings(Table& settings) {
  auto& dataset = settings.tables["dataset"].values;
  if (dataset.contains("test_fraction") && !dataset.contains("split")) {
    dataset["split"] = Value{std::string("shuffle"), {}};
  }
}

void apply_auto_config(Table& settings, SampleKind kind, int64_t train_samples) {
  // About 500,000 images in total: 10 epochs of 50,000, 100 epochs of a few thousand. A spectrogram
  // takes several times the work of a small image.
  const bool audio = kind == SampleKind::kSound;
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
