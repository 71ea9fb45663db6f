#include "projnce/pipeline/page_source.h"

#include <memory>
#include <mutex>

#include "projnce/pipeline/run_pages.h"
#include "projnce/report/page.h"

namespace projnce {

namespace {

/// Pages for several threads: what is remembered of defaults is shared.
struct SharedPages {
  std::mutex mutex;
  RunPages pages;

  nlohmann::ordered_json data(const PageSource::Runs& runs) {
    const std::lock_guard lock(mutex);
    return pages.data(runs);
  }
};

}  // namespace

PageSource make_page_source() {
  const auto shared = std::make_shared<SharedPages>();
  return {.page = [shared](const PageSource::Runs& runs) { return page_html(shared->data(runs)); },
          .data = [shared](const PageSource::Runs& runs) { return page_json(shared->data(runs)); },
          .policy = page_policy() + "; frame-ancestors 'none'"};
}

}  // namespace projnce
