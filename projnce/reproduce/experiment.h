#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projnce/core/table.h"

namespace projnce {

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

}  // namespace projnce
