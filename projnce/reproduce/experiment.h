#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"
#include "projnce/dataset/registry.h"

namespace projnce::reproduce {

/// Text of experiments/paper/NAME.toml, which is compiled into the program. REQUIRES: it exists.
std::string_view paper_file(const std::string& name);

/// Names of the built-in experiments: "figure1", ..., "table5".
std::vector<std::string> experiment_names();

/// Size of a reproduction: encoder, samples, epochs, seeds.
struct Scale {
  /// Overrides for one dataset.
  struct OfDataset {
    std::string title;  ///< if the scale changes the task; otherwise ""
    Table settings;
  };

  std::string name;              ///< "laptop"
  std::string words;             ///< description of the recipe
  int64_t seeds = 1;             ///< number of runs per cell
  bool several_at_once = false;  ///< train one run per core, because runs are small
  Table settings = {};           ///< of all runs
  Table image = {}, audio = {};  ///< by sample kind
  std::map<std::string, OfDataset> datasets = {};

  /// Base settings of a run on `dataset`.
  Table settings_for(const std::string& dataset, SampleKind kind) const;
};

std::vector<std::string> scale_names();

/// Throws if there is no such scale.
Scale read_scale(const std::string& name);

/// Method: a row of a table.
struct Method {
  std::string name;         ///< "projnce-mlp"
  std::string title;        ///< "ProjNCE-MLP"
  std::string series = {};  ///< name of its curve; "": none
  double x = 0;             ///< position on the curve
  Table settings = {};      ///< on top of the scale's
};

/// Condition of the training data, such as label noise.
struct Condition {
  std::string name;     ///< "noise-30"
  std::string title;    ///< "30 % wrong labels"
  Table settings = {};  ///< on top of the scale's
};

/// Metric of a run.
enum class Measure {
  kCentroid,  ///< accuracy by nearest centroid, or by the classifier of the loss if it has one
  /// Accuracy by the class vectors or the classifier of the loss, or by nearest centroid if it has
  /// neither; last epoch.
  kReadout,
  kProbe,        ///< accuracy of a linear probe on the features, fitted to the training labels
  kInformation,  ///< mutual information of test embeddings and class (Mixed KSG), in nats
};

/// Table or figure of the paper. Columns are datasets x conditions, rows are methods.
struct Experiment {
  std::string name;      ///< "table4"
  std::string title;     ///< short title
  std::string question;  ///< research question, one sentence
  std::string source;    ///< source of the published values
  std::string axis;      ///< meaning of `x` of the methods; "": no curves
  std::vector<std::string> datasets;
  std::vector<Condition> conditions;
  std::vector<Method> methods;
  std::vector<Measure> measures;  ///< the published values are of the first one
  std::vector<std::string> remarks;
  std::vector<std::string> deprecations;  ///< messages about former names in the file
  std::optional<int64_t> map_seed;        ///< seed of the runs drawn as t-SNE maps; empty: no maps

  /// Published value of a method, as printed in the paper; empty if unknown.
  std::optional<double> paper_number(const std::string& dataset, const std::string& condition,
                                     const std::string& method) const;

  /// Published values by dataset, condition and method.
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> paper;
};

/// Reads one of experiment_names(), or an experiment file that ends in .toml. Tables may have fewer
/// rows and columns at a small scale. Throws if there is no such experiment or a key is invalid.
Experiment read_experiment(const std::string& what, const std::string& scale);

/// Dataset of an experiment, which may not be available.
struct PaperDataset {
  std::string name;    ///< also the name of its run folder
  std::string title;   ///< "CIFAR-10 in place of STL10"
  std::string column;  ///< dataset of the published values to compare with; "": none
  /// If true, it replaces `column`: rankings and differences between methods can be compared with
  /// the published ones, values cannot.
  bool stand_in = false;
  Table table = {};         ///< section [dataset]
  std::string absent = {};  ///< why it is not available, with a hint; "": available
  SampleKind kind = SampleKind::kImage;
  int64_t train_samples = 0;
  std::vector<std::string> remarks = {};  ///< for example that it is a subset
};

/// Finds the datasets of the experiment or, if not empty, `instead` (names, folders or archives).
/// Missing datasets are not an error; they have `absent` set.
std::vector<PaperDataset> find_paper_datasets(const Experiment& experiment, const Scale& scale,
                                              const std::vector<std::string>& instead,
                                              const dataset::OpenContext& context);

/// Names of the known datasets that are available on this machine.
std::vector<std::string> present_datasets(const dataset::OpenContext& context);

}  // namespace projnce::reproduce
