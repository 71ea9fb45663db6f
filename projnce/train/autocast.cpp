#include "projnce/train/autocast.h"

#include <ATen/autocast_mode.h>

#include "projnce/core/error.h"

namespace projnce::train {

Autocast::Autocast(const torch::Device& device, Precision precision)
    : type_(device.type()), active_(precision != Precision::kFloat32) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(type_);
  previous_ = at::autocast::get_autocast_dtype(type_);
  at::autocast::set_autocast_dtype(
      type_, precision == Precision::kFloat16 ? torch::kFloat16 : torch::kBFloat16);
  at::autocast::set_autocast_enabled(type_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(type_, was_enabled_);
  at::autocast::set_autocast_dtype(type_, previous_);
}

void check_precision(const torch::Device& device, Precision precision) {
  if (precision != Precision::kFloat16 || !device.is_cpu()) return;
  fail(Hint{"use bf16 or float32"},
       "[train] precision = 'fp16' needs a graphics card, but the device is cpu");
}

}  // namespace projnce::train
