#include "projnce/run/reproducibility_info.h"

#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/version.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/toml.h"
#include "projnce/core/version.h"
#include "projnce/dataset/labels.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/kernel/isa.h"

namespace projnce::run {

namespace {

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "unset";
}

/// Parsed from the description of the LibTorch build, the only place that has it.
std::string libtorch_instructions() {
  constexpr std::string_view kMark = "CPU capability usage: ";
  const auto description = at::show_config();
  const auto mark = description.find(kMark);
  if (mark == std::string::npos) return "unknown";
  const auto begin = mark + kMark.size();
  return description.substr(begin, description.find('\n', begin) - begin);
}

std::string hash_text(const void* bytes, size_t size) {
  const auto hash = XXH3_128bits(bytes, size);
  return concat(std::hex, hash.high64, "-", hash.low64);
}

constexpr int64_t kMaxHashedSamples = 100;

std::string content_hash(const dataset::Dataset& samples, int64_t index) {
  const auto hash_values = [](const auto& values) {
    return hash_text(values.data(), values.size() * sizeof(values[0]));
  };
  try {
    const auto sample = samples.decode(index);
    if (const auto* image = std::get_if<Image>(&sample)) return hash_values(image->pixels);
    if (const auto* clip = std::get_if<Clip>(&sample)) return hash_values(clip->samples);
    return hash_values(std::get<Features>(sample).values);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return "damaged";  // part of stored fingerprints: not renamed
  }
}

std::string value_text(const Value& value) {
  Table table;
  table.values["v"] = value;
  const auto line = to_toml(table);  // "v = 3\n"
  return line.substr(4, line.size() - 5);
}

/// Compares numbers by value: 1 equals 1.0.
bool same_value(const Value& a, const Value& b) {
  const auto left = number_in(a);
  const auto right = number_in(b);
  return left && right ? *left == *right : value_text(a) == value_text(b);
}

/// True for keys that belong to ReproducibilityInfo and are not compared as settings. `prefix` is
/// the section with a dot.
bool is_environment_key(const std::string& prefix, const std::string& key) {
  return prefix.empty() ? key == "threads" || key == "version"
                        : prefix == "train." && key == "device";
}

void collect_changes(const Table& before, const Table& now, const std::string& prefix,
                     std::vector<std::string>& changes) {
  for (const auto& [key, value] : now.values) {
    if (is_environment_key(prefix, key)) continue;
    const auto found = before.values.find(key);
    if (found == before.values.end()) {
      changes.push_back(concat(prefix, key, " = ", value_text(value), " instead of unset"));
    } else if (!same_value(found->second, value)) {
      changes.push_back(
          concat(prefix, key, " = ", value_text(value), " instead of ", value_text(found->second)));
    }
  }
  for (const auto& [key, table] : now.tables) {
    const auto found = before.tables.find(key);
    collect_changes(found == before.tables.end() ? Table{} : found->second, table,
                    prefix + key + ".", changes);
  }
}

std::string file_hash(const std::filesystem::path& path) {
  const auto bytes = io::read_regular_file(path);
  return hash_text(bytes.span().data(), bytes.span().size());
}

}  // namespace

ReproducibilityInfo reproducibility_info(int threads, int ranks, const torch::Device& device) {
  return {{"version", kVersion},
          {"device", torch::DeviceTypeName(device.type(), /*lower_case=*/true)},
          {"threads", std::to_string(threads)},
          {"ranks", std::to_string(ranks)},
          {"libtorch", TORCH_VERSION},
          {"libtorch_instructions", libtorch_instructions()},
          {"kernel_instructions", std::string(kernel::isa_name(kernel::active_isa()))},
          {"ONEDNN_MAX_CPU_ISA", environment_value("ONEDNN_MAX_CPU_ISA")},
          {"OPENBLAS_CORETYPE", environment_value("OPENBLAS_CORETYPE")}};
}

std::string reproducibility_changes(const ReproducibilityInfo& before,
                                    const ReproducibilityInfo& now) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : now) {
    const auto found = before.find(name);
    const auto* implied = name == "device" ? "cpu" : "unknown";  // in runs of older versions
    const std::string old = found == before.end() ? implied : found->second;
    if (old != value) changes.push_back(concat(name, " ", value, " instead of ", old));
  }
  return join(changes);
}

std::string data_fingerprint(const std::vector<const dataset::Dataset*>& splits) {
  std::string text;
  for (const auto* split : splits) {
    for (int64_t i = 0; i < split->size(); ++i) {
      text += concat(split->sample_name(i), '\0', split->label(i), '\n');
    }
    const int64_t hashed = std::min(split->size(), kMaxHashedSamples);
    for (int64_t i = 0; i < hashed; ++i) {
      text += content_hash(*split, split->size() * i / hashed);
    }
  }
  return hash_text(text.data(), text.size());
}

std::string split_fingerprint(const dataset::Dataset& split, const std::vector<int64_t>& labels,
                              bool contents) {
  std::vector<std::pair<std::string, int64_t>> samples;  // hash of the identity, index
  for (int64_t i = 0; i < split.size(); ++i) {
    const int64_t label = labels.empty() ? split.label(i) : labels[static_cast<size_t>(i)];
    const auto text = concat(split.sample_name(i), '\0', split.class_names()[size_t(label)]);
    samples.emplace_back(hash_text(text.data(), text.size()), i);
  }
  std::sort(samples.begin(), samples.end());
  std::string text;
  for (const auto& [identity, index] : samples) text += identity + '\n';
  const int64_t hashed = contents ? std::min(split.size(), kMaxHashedSamples) : 0;
  for (int64_t i = 0; i < hashed; ++i) {
    text += content_hash(split, samples[static_cast<size_t>(i)].second);
  }
  return hash_text(text.data(), text.size());
}

std::string file_fingerprint(const std::vector<const dataset::Dataset*>& splits) {
  std::string text;
  for (const auto* split : splits) {
    for (int64_t i = 0; i < split->size(); ++i) text += split->content_id(i) + '\n';
  }
  return hash_text(text.data(), text.size());
}

std::string setting_changes(const Table& before, const Table& now) {
  std::vector<std::string> changes;
  collect_changes(before, now, "", changes);
  return join(changes);
}

std::string program_fingerprint() {
  Dl_info library = {};
  const bool found = ::dladdr(reinterpret_cast<const void*>(&kernel::best_isa), &library) != 0;
  const auto program = file_hash("/proc/self/exe");
  return found ? concat(program, " ", file_hash(library.dli_fname)) : program;
}

}  // namespace projnce::run
