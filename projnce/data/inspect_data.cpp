#include "projnce/data/inspect_data.h"

#include <algorithm>
#include <system_error>

#include "projnce/config/run_request.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/data/training_data.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/io/printable.h"
#include "projnce/report/grid/contact_sheet.h"

namespace projnce::data {

namespace {

namespace fs = std::filesystem;

bool is_on_disk(const fs::path& path) {
  std::error_code ignored;  // cyclic links and too long names count as missing
  return fs::exists(path, ignored);
}

dataset::DatasetSplit open_split(const InspectRequest& request) {
  if (request.layout.empty() && !config::names_dataset(request.what) && is_on_disk(request.what)) {
    const auto kind = dataset::kind_by_name(request.what);
    return {std::make_shared<dataset::FileList>(std::vector<fs::path>{request.what}, kind),
            std::make_shared<dataset::FileList>(std::vector<fs::path>{}, kind)};
  }
  auto options = config::named_dataset(request.what, request.layout);
  if (auto* table = std::get_if<dataset::TableOptions>(&options.layout)) *table = request.table;
  return dataset::open_unchecked_dataset(
      options, run_context(request.context, config::RunSettings{}, available_cores()));
}

dataset::DatasetInfo read_all(const dataset::DatasetSplit& split) {
  int64_t total = split.train->size() + split.test->size();
  if (split.reference) total += split.reference->size();
  if (split.background) total += split.background->size();
  Progress bar("reading samples", total, "samples");
  return dataset::inspect(split, {.threads = available_cores(),
                                  .on_progress = [&](int64_t done, int64_t) { bar.update(done); }});
}

void write_sheet(const dataset::DatasetSplit& split, const InspectRequest& request,
                 const dataset::DatasetInfo& info) {
  const auto summary =
      concat(counted(info.samples(), kind_name(info.kind)), " in ",
             counted(info.class_names.size(), "class", "classes"), ": ", info.labeled().samples,
             " training, ", info.test.samples, " test, ", info.corrupt(), " corrupt");
  report::write_contact_sheet(request.sheet, split, {.threads = available_cores()},
                              io::printable(request.what), summary);
}

/// Path of the data: the given path, or the first existing search path of a dataset name.
fs::path find_data(const InspectRequest& request) {
  if (is_on_disk(request.what)) return request.what;
  for (const auto& place : dataset::dataset_search_paths(request.what, request.context)) {
    if (is_on_disk(place)) return place;
  }
  return {};
}

std::vector<dataset::ChecksumVerdict> compare_with_official(const fs::path& place) {
  constexpr uint64_t kMegabyte = 1'000'000;
  const auto total = dataset::official_bytes(place);
  Progress bar("comparing checksums", static_cast<int64_t>(total / kMegabyte), "MB");
  uint64_t done = 0;
  return dataset::check_official_files(place, [&](uint64_t bytes) {
    done += bytes;
    bar.update(static_cast<int64_t>(done / kMegabyte));
  });
}

}  // namespace

int64_t Inspection::corrupt_files() const {
  return std::count_if(checksums.begin(), checksums.end(), [](const auto& verdict) {
    return verdict.match == dataset::OfficialMatch::kCorrupt;
  });
}

bool Inspection::trainable() const {
  return info.corrupt() <= dataset::CorruptLimit{}.of(info.samples());
}

Inspection inspect_data(const InspectRequest& request) {
  if (!request.sheet.empty()) report::check_contact_sheet_name(request.sheet);
  Inspection inspection{.split = open_split(request), .info = {}, .checksums = {}};
  const auto& split = inspection.split;
  inspection.info = read_all(split);
  if (request.checksums) inspection.checksums = compare_with_official(find_data(request));
  if (!request.sheet.empty()) write_sheet(split, request, inspection.info);
  return inspection;
}

}  // namespace projnce::data
