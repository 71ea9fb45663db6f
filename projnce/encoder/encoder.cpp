#include "projnce/encoder/encoder.h"

#include "projnce/core/error.h"
#include "projnce/kernel/isa.h"

namespace projnce::encoder {

bool is_native(Engine engine) {
  return engine == Engine::kNative ||
         (engine == Engine::kAuto && kernel::active_isa() != kernel::Isa::kPlain);
}

std::string describe_engine(Engine engine) {
  if (is_native(engine))
    return concat("native engine (", kernel::isa_name(kernel::active_isa()), ")");
  if (engine == Engine::kTorch) return "LibTorch's convolutions";
  return "LibTorch's convolutions (this CPU has neither AVX2 nor AVX-512)";
}

}  // namespace projnce::encoder
