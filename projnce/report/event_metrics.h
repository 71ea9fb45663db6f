#pragma once

#include <nlohmann/json.hpp>

#include "projnce/report/event_file.h"

namespace projnce {

/// A line of metrics.jsonl as points of curves, flushed. A training step's values are called
/// `train/loss`, an epoch's means `train_epoch/loss`, all others `SPLIT/NAME/VALUE`, such as
/// `test/zero-shot/top1`; an interval becomes `top1_interval/low` and `/high`. JSON knows no number
/// that is not finite: null is NaN again.
/// REQUIRES: an object with `step`, `split`, `name` and an object `value`.
void add_metrics(EventFile& file, const nlohmann::ordered_json& line, double wall_time);

}  // namespace projnce
