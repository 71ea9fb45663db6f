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

/// The text of experiments/paper/NAME.toml, which is part of the program. REQUIRES: there is one.
std::string_view paper_file(const std::string& name);

/// "figure1", ..., "table5".
std::vector<std::string> experiment_names();

/// How large a reproduction is: encoder, samples, epochs, seeds.
struct Scale {
  /// What is different for one dataset.
  struct OfDataset {
    std::string title;  ///< where the scale makes another task of it; "" where it does not
    Table settings;
  };

  std::string name;              ///< "laptop"
  std::string words;             ///< the recipe for people
  int64_t seeds = 1;             ///< runs of each cell
  bool several_at_once = false;  ///< runs are so small that one core each is the best use
  Table settings = {};           ///< for all runs
  Table image = {}, sound = {};  ///< by what the samples are
  std::map<std::string, OfDataset> datasets = {};

  /// What a run on this dataset starts from.
  Table settings_for(const std::string& dataset, SampleKind kind) const;
};

std::vector<std::string> scale_names();

/// Throws where there is no such scale.
Scale read_scale(const std::string& name);

/// What is trained in a row of a table.
struct Method {
  std::string name;         ///< "projnce-mlp"
  std::string title;        ///< "ProjNCE-MLP"
  std::string series = {};  ///< of a curve; "" for none
  double x = 0;             ///< where on that curve
  Table settings = {};      ///< on top of the scale's
};

/// What is done to the training data.
struct Condition {
  std::string name;     ///< "noise-30"
  std::string title;    ///< "30 % wrong labels"
  Table settings = {};  ///< on top of the scale's
};

/// What is read off a run.
enum class Measure {
  kCentroid,  ///< accuracy by nearest centroid, or by the classifier of losses that have one
  /// Accuracy by what the loss has learned of the classes: its class vectors or its classifier; by
  /// nearest centroid where it has neither. After the last epoch.
  kOwn,
  kProbe,        ///< accuracy of a linear probe on the features, fitted to the training labels
  kInformation,  ///< Mixed-KSG information of test embeddings about the class, in nats
};

/// A table or figure of the paper: datasets times conditions are its columns, methods its rows.
struct Experiment {
  std::string name;      ///< "table4"
  std::string title;     ///< of a few words
  std::string question;  ///< that it answers, in a sentence
  std::string source;    ///< where the paper's numbers are from
  std::string axis;      ///< what `x` of the methods is; "" where there are no curves
  std::vector<std::string> datasets;
  std::vector<Condition> conditions;
  std::vector<Method> methods;
  std::vector<Measure> measures;  ///< the paper's numbers are of the first
  std::vector<std::string> remarks;
  std::optional<int64_t> map_seed;  ///< whose runs are drawn as maps; none where there are no maps

  /// The paper's number for a method, as the paper prints it; none where it is not known.
  std::optional<double> paper_number(const std::string& dataset, const std::string& condition,
                                     const std::string& method) const;

  /// By dataset, condition and method.
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> paper;
};

/// `what` is one of experiment_names(), or a file of that form that ends in .toml. Tables may be
/// narrower at a small scale. Throws where there is no such experiment or a key of it is wrong.
Experiment read_experiment(const std::string& what, const std::string& scale);

/// A dataset that an experiment trains on, or would if it were here.
struct PaperDataset {
  std::string name;         ///< also that of its folder among the runs
  std::string title;        ///< "CIFAR-10 in place of STL10"
  std::string column;       ///< the dataset whose numbers of the paper stand beside; "" for none
  Table table = {};         ///< [dataset]
  std::string absent = {};  ///< why it cannot be trained on, and what to do; "" where it can
  SampleKind kind = SampleKind::kImage;
  int64_t train_samples = 0;
  std::vector<std::string> remarks = {};  ///< that it is a subset, say
};

/// The experiment's datasets, or `instead` (names, folders or archives) where that is not empty.
/// One that is not on this machine is no error: it says so.
std::vector<PaperDataset> find_paper_datasets(const Experiment& experiment, const Scale& scale,
                                              const std::vector<std::string>& instead,
                                              const dataset::OpenContext& context);

/// Names of the known datasets that are on this machine.
std::vector<std::string> present_datasets(const dataset::OpenContext& context);

}  // namespace projnce::reproduce
