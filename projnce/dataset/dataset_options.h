#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/image_readers.h"
#include "projnce/dataset/readers/sound_readers.h"
#include "projnce/dataset/wrappers/wrappers.h"

namespace projnce::dataset {

/// Options of a dataset without specific options.
struct NoLayoutOptions {};

/// Dataset-specific options. In a HoldOut, `seed` is split_seed; its other fields are set when the
/// dataset is opened.
using LayoutOptions =
    std::variant<NoLayoutOptions, HoldOut, Caltech256Options, Cifar10Options, Cifar100Options,
                 CremaDOptions, Esc50Options, SpeechCommandsOptions, Stl10Options>;

/// The section [dataset]: the samples to train on.
struct DatasetOptions {
  std::string name = "fashion-mnist";  ///< one of dataset_names()
  std::string root = {};       ///< folder or archive; default: search dataset_search_paths()
  LayoutOptions layout = {};   ///< type depends on `name`
  bool layout_chosen = false;  ///< if true, the user chose `name` as the layout of a path
  int64_t max_train = 0;       ///< size of a fixed, stratified subset; 0 = all samples
  int64_t max_test = 0;        ///< the same for the test split
  double label_fraction = 1;   ///< fraction of each class to train on
  double imbalance = 1;        ///< long tail: size of the last class relative to the largest
  bool strict = false;         ///< if true, corrupt samples are errors instead of warnings
  /// Maximum number of unreadable samples: "5", "1%", or "auto", the larger of 1 % and 5.
  std::string max_corrupt = "auto";
  int64_t memory_mb = 2048;  ///< decoded samples are cached in memory if they fit
  LabelNoiseOptions label_noise = {};
  FeatureNoiseOptions feature_noise = {};  ///< images only
};

/// Returns the default options of a dataset. Throws an Error if the name is unknown.
DatasetOptions dataset_options(const std::string& name);

void list_fields(DatasetOptions& options, FieldVisitor& fields);
void list_fields(LabelNoiseOptions& options, FieldVisitor& fields);
void list_fields(FeatureNoiseOptions& options, FieldVisitor& fields);

/// Sets the noise seeds to `seed`; explicitly configured noise seeds override it.
void seed_noise(DatasetOptions& options, uint64_t seed);

/// Parses the options in a table [dataset] of a run with this seed. Does not access any data.
DatasetOptions parse_dataset_options(const Table& table, uint64_t seed = 0);

}  // namespace projnce::dataset
