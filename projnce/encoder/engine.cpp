#include "projnce/encoder/engine.h"

#include "projnce/core/error.h"
#include "projnce/kernel/isa.h"

namespace projnce {

bool is_native(Engine engine) {
  return engine == Engine::kNative || (engine == Engine::kAuto && active_isa() != Isa::kPlain);
}

std::string describe_engine(Engine engine) {
  if (is_native(engine)) return concat("native engine (", isa_name(active_isa()), ")");
  if (engine == Engine::kTorch) return "LibTorch's convolutions";
  return "LibTorch's convolutions, for the processor has neither AVX2 nor AVX-512";
}

}  // namespace projnce
