#include "projnce/dataset/readers/audio_readers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/io/audio/audio_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

const char* const kEscTable = "meta/esc50.csv";
constexpr int64_t kEscFolds = 5;
constexpr int64_t kEscTargets = 50;
constexpr double kEscSeconds = 5;
constexpr double kEscSecondsTolerance = 1;  // copies may be trimmed a little
constexpr int64_t kEscClipsProbed = 15;

/// One line of the table.
struct EscClip {
  std::string file;
  int64_t fold;
  int64_t target;
  std::string category;
};

/// Parses the table by column names.
class EscTable {
 public:
  explicit EscTable(const io::FileTree& tree) : list_(read_text_list(tree, kEscTable)) {
    if (list_.lines.size() < 2) fail(list_.name, " has no lines after its header");
    columns_ = split_line(list_.lines[0], ',');
  }

  std::vector<EscClip> clips() const {
    std::vector<EscClip> clips;
    std::unordered_set<std::string> seen;
    for (size_t i = 1; i < list_.lines.size(); ++i) {
      if (list_.lines[i].empty()) continue;
      const auto fields = split_line(list_.lines[i], ',');
      if (fields.size() != columns_.size()) {
        fail(list_.location(i), " has ", counted(fields.size(), "column"), ", expected ",
             columns_.size());
      }
      clips.push_back({fields[column("filename")], number(i, fields, "fold", 1, kEscFolds),
                       number(i, fields, "target", 0, kEscTargets - 1),
                       fields[column("category")]});
      if (!seen.insert(clips.back().file).second) {
        fail(list_.location(i), " names the clip '", io::printable(clips.back().file),
             "', which is a duplicate");
      }
    }
    return clips;
  }

 private:
  size_t column(const std::string& name) const {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end()) fail(list_.location(0), " has no column ", name);
    return static_cast<size_t>(found - columns_.begin());
  }

  int64_t number(size_t line, const std::vector<std::string>& fields, const std::string& name,
                 int64_t low, int64_t high) const {
    const auto& text = fields[column(name)];
    int64_t value = low - 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
      fail(list_.location(line), " has '", io::printable(text), "' for ", name, ", expected ", low,
           " to ", high);
    }
    return value;
  }

  TextList list_;
  std::vector<std::string> columns_;
};

/// Removes clips whose files are missing.
void remove_missing(const io::FileTree& tree, std::vector<EscClip>& clips,
                    std::vector<std::string>& remarks) {
  const auto files = tree.files_below("audio", io::audio_extensions());
  const std::unordered_set<std::string> existing(files.begin(), files.end());
  const auto missing =
      std::erase_if(clips, [&](const EscClip& clip) { return !existing.contains(clip.file); });
  if (missing > 0) {
    remarks.push_back(concat("skipped ", counted(missing, "missing clip"), " of ", kEscTable));
  }
}

/// Name of each target.
std::map<int64_t, std::string> read_categories(const std::vector<EscClip>& clips,
                                               const std::string& table) {
  std::map<int64_t, std::string> categories;
  for (const auto& clip : clips) {
    const auto& name = categories.emplace(clip.target, clip.category).first->second;
    if (name != clip.category) {
      fail(table, " calls target ", clip.target, " '", io::printable(name), "' and '",
           io::printable(clip.category), "', expected one name");
    }
  }
  if (categories.size() < 2) {
    fail(table, " has ", counted(categories.size(), "class", "classes"),
         " with clips, expected at least two");
  }
  return categories;
}

io::FileTreePtr find_esc50(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {kEscTable});
}

}  // namespace

bool is_esc50(const io::FileTreePtr& tree) {
  return find_esc50(tree) != nullptr;
}

DatasetSplit open_esc50(const io::FileTreePtr& root, const Esc50Options& options) {
  const auto tree = find_esc50(root);
  if (!tree) {
    fail(Hint{"pass the folder ESC-50-master or its archive"}, root->name(), " contains no ",
         kEscTable);
  }
  DatasetSplit split;
  auto clips = EscTable(*tree).clips();
  remove_missing(*tree, clips, split.remarks);
  std::vector<std::string> names;
  std::map<int64_t, int64_t> labels;
  for (const auto& [target, name] : read_categories(clips, display_path(*tree, kEscTable))) {
    labels.emplace(target, static_cast<int64_t>(names.size()));
    names.push_back(io::printable(name));
  }
  std::vector<FileDataset::File> train;
  std::vector<FileDataset::File> test;
  for (const auto& clip : clips) {
    auto& part = clip.fold == options.fold ? test : train;
    part.push_back({io::join_names("audio", clip.file), labels.at(clip.target)});
  }
  if (train.empty() || test.empty()) {
    fail(display_path(*tree, kEscTable), " has ", counted(test.size(), "clip"), " in fold ",
         options.fold, " and ", train.size(), " in the others, expected at least one in each");
  }
  split.train = std::make_shared<FileDataset>(tree, SampleKind::kAudio, names, std::move(train));
  split.test = std::make_shared<FileDataset>(tree, SampleKind::kAudio, names, std::move(test));
  const double seconds = median_seconds(*split.train, kEscClipsProbed);
  split.seconds = std::abs(seconds - kEscSeconds) <= kEscSecondsTolerance ? kEscSeconds : 0;
  return split;
}

}  // namespace projnce::dataset
