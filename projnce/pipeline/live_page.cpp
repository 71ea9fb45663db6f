#include "projnce/pipeline/live_page.h"

#include <utility>

#include "projnce/core/error.h"
#include "projnce/report/run_paths.h"

namespace projnce {

LivePage::LivePage(std::filesystem::path run, Logger logger)
    : run_(std::move(run)), logger_(std::move(logger)), next_(Clock::now()) {}

void LivePage::update() {
  constexpr std::chrono::seconds kPause{5};
  if (failed_ || Clock::now() < next_) return;
  try {
    pages_.write({run_}, RunPaths{run_}.page());
  } catch (const Error& error) {
    failed_ = true;
    logger_->warn("the page is not kept fresh: {}", error.what());
  }
  next_ = Clock::now() + kPause;
}

}  // namespace projnce
