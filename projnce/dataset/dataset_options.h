#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/image_readers.h"
#include "projnce/dataset/readers/sound_readers.h"
#include "projnce/dataset/wrappers/noise.h"

namespace projnce::dataset {

/// A dataset without options of its own.
struct NoLayoutOptions {};

/// What a dataset has of its own. In a HoldOut `seed` is split_seed; the rest of it is filled in
/// when the dataset is opened.
using LayoutOptions =
    std::variant<NoLayoutOptions, HoldOut, Caltech256Options, Cifar10Options, Cifar100Options,
                 CremaDOptions, Esc50Options, SpeechCommandsOptions, Stl10Options>;

/// The section [dataset]: which samples are trained on.
struct DatasetOptions {
  std::string name = "fashion-mnist";  ///< one of dataset_names()
  std::string root = {};               ///< its folder or archive; "" looks in dataset_places()
  LayoutOptions layout = {};           ///< of the type that belongs to the name
  bool layout_chosen = false;          ///< the name is one that the user chose for a path
  int64_t max_train = 0;      ///< a fixed, stratified subset of that many samples; 0 for all
  int64_t max_test = 0;       ///< the same for the test part
  double label_fraction = 1;  ///< train on this share of each class
  double imbalance = 1;       ///< a long tail: the last class has this share of the largest
  bool strict = false;        ///< a damaged sample is an error, not a warning
  /// More unreadable samples are an error: "5", "1%", or "auto", the larger of 1 % and 5.
  std::string max_corrupt = "auto";
  int64_t memory_mb = 2048;  ///< decoded samples are held in memory where this is enough
  LabelNoiseOptions label_noise = {};
  FeatureNoiseOptions feature_noise = {};  ///< images only
};

/// The defaults of the dataset of that name. Throws an Error if there is none.
DatasetOptions dataset_options(const std::string& name);

void list_fields(DatasetOptions& options, FieldVisitor& fields);
void list_fields(LabelNoiseOptions& options, FieldVisitor& fields);
void list_fields(FeatureNoiseOptions& options, FieldVisitor& fields);

/// Noise is drawn from `seed` unless it gets a seed of its own.
void seed_noise(DatasetOptions& options, uint64_t seed);

/// The options in a table [dataset] of a run with that seed. Looks at no data.
DatasetOptions parse_dataset_options(const Table& table, uint64_t seed = 0);

}  // namespace projnce::dataset
