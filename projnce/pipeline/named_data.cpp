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

Table dataset_table(const std::string& what, const std::string& layout) {
  if (!layout.empty()) check_layout_name(layout);
  Table table;
  std::error_code ignored;
  if (is_tree(what) || (!layout.empty() && std::filesystem::exists(what, ignored))) {
    table.values["name"] = layout.empty() ? Value{recognise_dataset(what).value_or("folder"), what}
                                          : Value{layout, kLayoutOption};
    table.values["root"] = Value{what, what};
  } else if (is_dataset_name(what)) {
    table.values["name"] = Value{what, what};
  } else if (std::filesystem::exists(what, ignored)) {
    fail(printable(what), " is not a folder, an archive (.zip, .tar, .tar.gz ...) or an .npy file");
  } else {
    fail(Hint{concat("datasets: ", join(dataset_names()))},
         "there is no dataset, folder, archive or file called '", printable(what), "'");
  }
  return table;
}

bool names_dataset(const std::string& what) {
  return is_tree(what) || is_dataset_name(what);
}

}  // namespace projnce
