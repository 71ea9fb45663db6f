#include "projnce/io/tree_names.h"

#include <algorithm>

namespace projnce {

namespace {

/// Takes the part before the first '/' off `name`.
std::string_view take_part(std::string_view& name) {
  const auto part = name.substr(0, name.find('/'));
  name.remove_prefix(std::min(part.size() + 1, name.size()));
  return part;
}

bool ends_like(std::string_view name, std::string_view lower_case_end) {
  if (name.size() < lower_case_end.size()) return false;
  const auto same = [](char c, char lower) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == lower;
  };
  name.remove_prefix(name.size() - lower_case_end.size());
  return std::equal(name.begin(), name.end(), lower_case_end.begin(), same);
}

}  // namespace

std::optional<std::string> normal_name(std::string_view name) {
  if (name.starts_with('/') || name.find('\0') != std::string_view::npos) return {};
  std::string normal;
  normal.reserve(name.size());
  while (!name.empty()) {
    const auto part = take_part(name);
    if (part == "..") return {};
    if (part.empty() || part == ".") continue;
    if (!normal.empty()) normal += '/';
    normal += part;
  }
  return normal;
}

std::string join_names(std::string_view folder, std::string_view name) {
  std::string joined(folder);
  if (!folder.empty() && !name.empty()) joined += '/';
  return joined += name;
}

bool is_hidden_part(std::string_view part) {
  return part.starts_with('.') || part == "__MACOSX";
}

bool is_hidden_name(std::string_view name) {
  while (!name.empty()) {
    if (is_hidden_part(take_part(name))) return true;
  }
  return false;
}

bool has_extension(std::string_view name, const std::vector<std::string>& extensions) {
  return extensions.empty() ||
         std::any_of(extensions.begin(), extensions.end(),
                     [&](const std::string& extension) { return ends_like(name, extension); });
}

}  // namespace projnce
