#pragma once

#include <chrono>
#include <filesystem>

#include "projnce/core/logging.h"
#include "projnce/pipeline/run_pages.h"

namespace projnce {

/// report.html of a run that goes on, written anew every few seconds; it asks the browser to look
/// again. A page that cannot be written costs a warning, once.
class LivePage {
 public:
  LivePage(std::filesystem::path run, Logger logger);

  /// To be called often.
  void update();

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path run_;
  Logger logger_;
  RunPages pages_;
  Clock::time_point next_;
  bool failed_ = false;
};

}  // namespace projnce
