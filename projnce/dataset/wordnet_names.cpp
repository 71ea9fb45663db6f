#include "projnce/dataset/wordnet_names.h"

#include <algorithm>
#include <unordered_map>

#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/text_list.h"
#include "projnce/io/printable.h"

namespace projnce {

bool is_wnid(const std::string& name) {
  return name.size() == 9 && name[0] == 'n' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> read_wordnet_names(const FileTree& tree, const std::string& file,
                                            const std::vector<std::string>& wnids) {
  std::unordered_map<std::string, std::string> first_names;
  for (const auto& line : read_text_list(tree, file).lines) {
    const auto gap = line.find_first_of(" \t");
    if (gap == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", gap);
    first_names[line.substr(0, gap)] = line.substr(begin, line.find(',', begin) - begin);
  }
  std::vector<std::string> names;
  for (const auto& wnid : wnids) {
    const auto found = first_names.find(wnid);
    const bool named = found != first_names.end() && !found->second.empty();
    names.push_back(printable(named ? found->second : wnid));
  }
  return distinct_names(std::move(names), wnids);
}

}  // namespace projnce
