#include "projnce/reproduce/paper_datasets.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "projnce/core/error.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/pipeline/named_data.h"
#include "projnce/reproduce/paper_files.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

bool is_known(const std::string& name) {
  const auto names = dataset_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string title_of(const std::string& name) {
  const auto titles = parse_toml(paper_file("datasets"), "datasets.toml");
  const auto found = titles.values.find(name);
  return found == titles.values.end() ? name : std::get<std::string>(found->second.data);
}

/// A path's last part without what says that it is an archive, fit to be a folder's name.
std::string folder_name(const std::string& path) {
  auto name = fs::path(path).filename().string();
  if (name.empty()) name = fs::path(path).parent_path().filename().string();
  name = name.substr(0, name.find('.'));
  for (auto& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
  }
  return name.empty() ? "data" : name;
}

PaperDataset paper_dataset(const std::string& what, const Scale& scale) {
  PaperDataset dataset;
  dataset.name = is_known(what) ? what : folder_name(what);
  const auto named = named_dataset(what);
  dataset.table.values["name"] = Value{named.name, what};
  if (!named.root.empty()) dataset.table.values["root"] = Value{named.root, what};
  dataset.title = title_of(dataset.name);
  const auto changed = scale.datasets.find(dataset.name);
  const bool another_task = changed != scale.datasets.end() && !changed->second.title.empty();
  if (another_task) {
    dataset.title = changed->second.title;
  } else {
    dataset.column = dataset.name;
  }
  return dataset;
}

std::string provider_of(const std::string& name) {
  for (const auto& description : describe_datasets()) {
    if (description.name == name) return description.source;
  }
  return {};
}

bool is_present(const std::string& name, const OpenContext& context) {
  const auto places = dataset_places(name, context);
  return std::any_of(places.begin(), places.end(), [](const fs::path& place) {
    std::error_code ignored;  // a folder that may not be read is not there
    return fs::exists(place, ignored);
  });
}

bool is_anywhere(const PaperDataset& dataset, const OpenContext& context) {
  return dataset.table.values.count("root") || is_present(dataset.name, context);
}

/// Looks what is there. A dataset that is there but cannot be read is as good as absent.
void look_at(PaperDataset& dataset, const OpenContext& context) {
  if (!is_anywhere(dataset, context)) {
    dataset.absent =
        concat(dataset.title, " is not on this machine: get it from ", provider_of(dataset.name),
               " (`projnce data list` names the places that are looked at)");
    return;
  }
  try {
    const auto split =
        open_unchecked_dataset(parse_dataset_options(dataset.table, context.seed), context);
    dataset.kind = split.train->kind();
    dataset.train_samples = split.train->size();
    for (const auto& remark : split.remarks) {
      dataset.remarks.push_back(concat(dataset.title, ": ", remark));
    }
  } catch (const Error& error) {
    dataset.absent = concat(dataset.title, " cannot be read: ", error.what());
  }
}

/// Says whose place they take, where it is clear whose.
void put_in_place(std::vector<PaperDataset>& datasets, const Experiment& experiment) {
  for (auto& dataset : datasets) {
    const auto& own = experiment.datasets;
    if (std::find(own.begin(), own.end(), dataset.name) != own.end() || own.size() != 1) continue;
    dataset.column = own.front();
    dataset.title = concat(dataset.title, " in place of ", title_of(own.front()));
  }
}

}  // namespace

std::vector<PaperDataset> find_paper_datasets(const Experiment& experiment, const Scale& scale,
                                              const std::vector<std::string>& instead,
                                              const OpenContext& context) {
  std::vector<PaperDataset> datasets;
  for (const auto& what : instead.empty() ? experiment.datasets : instead) {
    datasets.push_back(paper_dataset(what, scale));
  }
  if (!instead.empty()) put_in_place(datasets, experiment);
  for (auto& dataset : datasets) look_at(dataset, context);
  return datasets;
}

std::vector<std::string> present_datasets(const OpenContext& context) {
  auto names = dataset_names();
  std::erase_if(names, [&](const std::string& name) { return !is_present(name, context); });
  return names;
}

}  // namespace projnce
