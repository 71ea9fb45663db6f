#pragma once

#include <cstdint>
#include <string>

#include "projnce/augment/augment_options.h"
#include "projnce/config/eval_options.h"
#include "projnce/config/input_options.h"
#include "projnce/config/report_options.h"
#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/version.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/encoder/registry.h"
#include "projnce/loss/registry.h"
#include "projnce/train/train_options.h"

namespace projnce::config {

/// The values that belong to the whole run.
struct RunSettings {
  int64_t seed = 1;
  int64_t threads = 0;             ///< 0: all cores
  std::string data_root = {};      ///< holds datasets under their names; "" for PROJNCE_DATA
  std::string version = kVersion;  ///< that the run was started with
};

/// Everything that a run is configured with, a member for each section of config.toml.
struct RunConfig {
  RunSettings run = {};  ///< the top level
  dataset::DatasetOptions dataset = {};
  InputSettings input = {};
  augment::AugmentOptions augment = {};
  encoder::EncoderOptions encoder = {};
  loss::LossOptions loss = {};
  train::TrainOptions train = {};
  EvalOptions eval = {};
  ReportOptions report = {};
};

/// Who says what the encoder is.
enum class EncoderChoice {
  kSettings,
  kData,  ///< its kind does, later: the section [encoder] is left unread
};

/// The same with a reader, which then knows about deprecated names in the settings.
RunConfig parse_run_config(TableReader& reader, EncoderChoice choice);

/// The configuration that settings describe, with defaults for what they lack. Throws, with the
/// place and the nearest valid key, where a key or value is wrong. Looks at no data and makes no
/// network.
RunConfig parse_run_config(const Table& settings, EncoderChoice choice = EncoderChoice::kSettings);

void list_fields(RunConfig& config, FieldVisitor& fields);

/// config.toml: every value.
std::string to_toml(const RunConfig& config);

}  // namespace projnce::config
