#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"

namespace projnce {

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

}  // namespace projnce
