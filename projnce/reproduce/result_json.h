#pragma once

#include <nlohmann/json_fwd.hpp>

#include "projnce/reproduce/result.h"

namespace projnce {

/// Everything that is known of the result, for programs. Numbers are as a Result keeps them:
/// accuracies as shares (unit "share"), information in nats; null where there is none or it is not
/// finite. Pictures are named, not held: their files stand beside.
nlohmann::ordered_json result_json(const Result& result);

}  // namespace projnce
