#include "projnce/pipeline/named_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/embeddings.h"
#include "projnce/dataset/registry.h"
#include "projnce/io/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

bool is_tree(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_directory(what, ignored) ||
         (std::filesystem::exists(what, ignored) &&
          (is_archive_name(what) || is_embeddings_file(what)));
}

bool is_dataset_name(const std::string& what) {
  const auto names = dataset_names();
  return std::find(names.begin(), names.end(), what) != names.end();
}

}  // namespace

DatasetOptions named_dataset(const std::string& what, const std::string& layout) {
  if (!layout.empty()) check_layout_name(layout);
  std::error_code ignored;
  if (is_tree(what) || (!layout.empty() && std::filesystem::exists(what, ignored))) {
    auto options =
        dataset_options(layout.empty() ? recognise_dataset(what).value_or("folder") : layout);
    options.layout_chosen = !layout.empty();
    options.root = what;
    return options;
  }
  if (is_dataset_name(what)) return dataset_options(what);
  if (std::filesystem::exists(what, ignored)) {
    fail(printable(what), " is not a folder, an archive (.zip, .tar, .tar.gz ...) or an .npy file");
  }
  fail(Hint{concat("datasets: ", join(dataset_names()))},
       "there is no dataset, folder, archive or file called '", printable(what), "'");
}

bool names_dataset(const std::string& what) {
  return is_tree(what) || is_dataset_name(what);
}

}  // namespace projnce
