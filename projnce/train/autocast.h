#pragma once

#include <torch/types.h>

#include "projnce/train/train_options.h"

namespace projnce::train {

/// Lets torch choose the type of each operation on `device` during the lifetime of this object
/// (autocast); does nothing for float32.
class Autocast {
 public:
  Autocast(const torch::Device& device, Precision precision);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  torch::DeviceType type_;
  bool active_;
  bool was_enabled_ = false;
  torch::ScalarType previous_ = torch::kFloat;
};

/// Throws if the device cannot compute with this precision.
void check_precision(const torch::Device& device, Precision precision);

}  // namespace projnce::train
