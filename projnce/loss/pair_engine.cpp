#include "projnce/loss/pair_engine.h"

#include <atomic>

namespace projnce {

namespace {

std::atomic<PairEngine>& cpu_engine() {
  static std::atomic<PairEngine> engine{PairEngine::kTiles};
  return engine;
}

}  // namespace

PairEngine pair_engine(const torch::Tensor& rows) {
  return rows.device().is_cpu() ? cpu_engine().load() : PairEngine::kChunks;
}

ForcedPairEngine::ForcedPairEngine(PairEngine engine) : before_(cpu_engine().exchange(engine)) {}

ForcedPairEngine::~ForcedPairEngine() {
  cpu_engine().store(before_);
}

}  // namespace projnce
