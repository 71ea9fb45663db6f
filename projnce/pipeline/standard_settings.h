#pragma once

#include <map>
#include <string>

#include "projnce/core/table.h"

namespace projnce {

/// What the settings of a run are when nobody sets them, so that a report can mark the others.
class StandardSettings {
 public:
  /// For the dataset, encoder and loss that `config` names. What is found out from the data or the
  /// machine (the form of the input, threads) has no default and is not there.
  const Table& of(const Table& config);

 private:
  std::map<std::string, Table> known_;  // by the three names
};

}  // namespace projnce
