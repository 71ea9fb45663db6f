#include "projnce/pipeline/inspect_data.h"

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/file_list.h"
#include "projnce/dataset/open_dataset.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

DatasetSplit open_what(const InspectRequest& request) {
  if (fs::is_regular_file(request.what)) {
    return {std::make_shared<FileList>(std::vector<fs::path>{request.what}),
            std::make_shared<FileList>(std::vector<fs::path>{})};
  }
  Table table;
  const auto names = dataset_names();
  if (fs::is_directory(request.what)) {
    const auto layout = request.dataset.empty() ? "folder" : request.dataset;
    table.values["name"] = Value{layout, "--dataset"};
    table.values["root"] = Value{request.what, request.what};
  } else if (std::find(names.begin(), names.end(), request.what) != names.end()) {
    table.values["name"] = Value{request.what, request.what};
  } else {
    fail(Hint{concat("datasets: ", join(names))}, "there is no dataset, folder or file called '",
         request.what, "'");
  }
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
