#include "projnce/pipeline/inspect_data.h"

#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/file_list.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/pipeline/named_data.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

DatasetSplit open_what(const InspectRequest& request) {
  if (request.dataset.empty() && !names_dataset(request.what) && fs::exists(request.what)) {
    const auto kind = kind_by_name(request.what);
    return {std::make_shared<FileList>(std::vector<fs::path>{request.what}, kind),
            std::make_shared<FileList>(std::vector<fs::path>{}, kind)};
  }
  auto table = dataset_table(request.what, request.dataset);
  return open_unchecked_dataset(table, request.context);
}

}  // namespace

DatasetInfo inspect_data(const InspectRequest& request) {
  const auto split = open_what(request);
  Progress bar("reading samples", split.train->size() + split.test->size(), "samples");
  int64_t before = 0;  // samples of parts that are done
  return inspect(split,
                 {.threads = available_cores(), .on_progress = [&](int64_t done, int64_t total) {
                    bar.update(before + done);
                    if (done == total) before += total;
                  }});
}

}  // namespace projnce
