#include "projnce/dataset/text_list.h"

#include <unordered_set>

#include "projnce/core/error.h"
#include "projnce/dataset/layout.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/printable.h"

namespace projnce {

namespace {

constexpr size_t kMaxTextBytes = size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_end_spaces(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view{} : line.substr(0, last + 1);
}

}  // namespace

std::vector<std::string> split_line(std::string_view line, char separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const auto end = line.find(separator);
    pieces.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    line.remove_prefix(end + 1);
  }
}

TextList read_text_list(const FileTree& tree, const std::string& file) {
  TextList list{place_in(tree, file), {}};
  const auto bytes = tree.read(file, kMaxTextBytes);
  auto text = as_text(bytes.span());
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (line.find('\0') != std::string_view::npos) {
      fail(list.place(list.lines.size()), " holds a zero byte, expected text");
    }
    list.lines.emplace_back(without_end_spaces(line));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!list.lines.empty() && list.lines.back().empty()) list.lines.pop_back();
  return list;
}

std::vector<std::string> read_name_list(const FileTree& tree, const std::string& file,
                                        size_t expected) {
  const auto list = read_text_list(tree, file);
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto& line = list.lines[i];
    if (line.empty()) continue;
    names.push_back(printable(line));
    if (!seen.insert(line).second) {
      fail(list.place(i), " repeats the name '", names.back(), "', expected each once");
    }
  }
  if (names.empty()) fail(list.name, " holds no names");
  if (expected != 0 && names.size() != expected) {
    fail(list.name, " holds ", names.size(), " names, expected ", expected);
  }
  return names;
}

}  // namespace projnce
