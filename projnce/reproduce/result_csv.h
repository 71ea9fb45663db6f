#pragma once

#include <string>

#include "projnce/reproduce/result.h"

namespace projnce {

/// A line for each run, below one of the fields' names. Numbers are as a Result keeps them:
/// accuracies as shares (unit "share"), information in nats. `mean`, `deviation`, `paper` and
/// `difference` are of the run's cell; empty where there is none.
std::string result_csv(const Result& result);

}  // namespace projnce
