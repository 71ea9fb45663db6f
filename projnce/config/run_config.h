#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/augment/augment_options.h"
#include "projnce/config/input_options.h"
#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/version.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/encoder/registry.h"
#include "projnce/eval/nearest_neighbors.h"
#include "projnce/loss/registry.h"
#include "projnce/train/train_options.h"

namespace projnce::config {

/// Accuracy that summary.json reports.
enum class EvalReport {
  kDelivered,      ///< accuracy of the delivered model
  kBestTestEpoch,  ///< the paper's rule: best test epoch if the training data is clean, otherwise
                   ///< last
};

/// Evaluation during and after training.
struct EvalOptions {
  int64_t every = 1;             ///< epochs between evaluations; the last epoch is always evaluated
  int64_t centroid_samples = 0;  ///< number of training samples for the class centroids; 0: all
  int64_t batch_size = 512;
  /// How the delivered model predicts classes: name of a protocol, "paper" or "auto". "auto" is the
  /// most accurate protocol on the validation split; without one, default_readout.
  std::string readout = "auto";
  EvalReport report = EvalReport::kDelivered;
  /// Protocols evaluated after epochs. The first one defines the "best" and "last" accuracy; "auto"
  /// is the readout. See choose_protocols.
  std::vector<std::string> protocols = {"auto"};
  std::vector<std::string> final_protocols = {"all"};  ///< evaluated after training
  eval::KnnOptions knn = {.neighbors = 0};  ///< neighbors = 0: 20, or all if there are fewer
};

/// Section [eval].
void list_fields(EvalOptions& options, FieldVisitor& fields);

/// Sets the paper's rule in the section [eval]: nearest centroid (ce and sce: their classifier),
/// best test epoch if the training data is clean. Does not overwrite existing keys.
void set_paper_rule(Table& eval);

/// Sets the paper's rule in settings stored by versions without `eval.readout` and `eval.report`,
/// which always used it.
void complete_earlier_rule(Table& settings);

/// Top-level settings of a run.
struct RunSettings {
  int64_t seed = 1;
  int64_t threads = 0;             ///< 0: all cores
  std::string data_root = {};      ///< folder that contains datasets by name; "": PROJNCE_DATA
  std::string version = kVersion;  ///< version that started the run
};

/// Reports of a run.
struct ReportOptions {
  bool page = true;             ///< write embedding maps, audit and report.html after training
  int64_t max_points = 10'000;  ///< maximum number of samples on the maps, over both splits
  bool events = true;           ///< write TensorBoard event files
};

/// Section [report].
void list_fields(ReportOptions& options, FieldVisitor& fields);

/// Complete configuration of a run, one member per section of config.toml.
struct RunConfig {
  RunSettings run = {};  ///< top level
  dataset::DatasetOptions dataset = {};
  InputSettings input = {};
  augment::AugmentOptions augment = {};
  encoder::EncoderOptions encoder = {};
  loss::LossOptions loss = {};
  train::TrainOptions train = {};
  EvalOptions eval = {};
  ReportOptions report = {};
};

/// What determines the encoder.
enum class EncoderChoice {
  kSettings,
  kData,  ///< the kind of the data, later: the section [encoder] is not parsed
};

/// Parses settings; missing ones get their defaults. On an invalid key or value, throws an error
/// with its location and the closest valid key. Does not open data or build a network.
RunConfig parse_run_config(const Table& settings, EncoderChoice choice = EncoderChoice::kSettings);

/// Same with a reader, which collects the deprecated names in the settings.
RunConfig parse_run_config(TableReader& reader, EncoderChoice choice);

void list_fields(RunConfig& config, FieldVisitor& fields);

/// Contents of config.toml, with every value.
std::string to_toml(const RunConfig& config);

}  // namespace projnce::config
