#include "projnce/dataset/readers/audio_readers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/io/audio/audio_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

const char* const kNoiseFolder = "_background_noise_";
const char* const kTestList = "testing_list.txt";
const char* const kValidationList = "validation_list.txt";
constexpr double kWordSeconds = 1;
/// Upper bound on the median length of words, also for other recordings in this layout.
constexpr double kMaxMedianWordSeconds = 1.5;
constexpr int64_t kWordsProbed = 15;
constexpr size_t kEntriesProbed = 200;  // per list

enum class SpeechSplit { kTrain, kTest, kValidation };

using SpeechSplits = std::unordered_map<std::string, SpeechSplit>;  // by file name

io::FileTreePtr find_speech_commands(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {kTestList, kValidationList});
}

/// File named by an entry; "" for blank entries and names that escape the dataset.
std::string listed_file(const std::string& line) {
  return io::normalize_name(line).value_or("");
}

std::string list_file(const std::string& stem, const std::string& suffix) {
  return suffix.empty() ? stem + ".txt" : stem + "_" + suffix + ".txt";
}

void check_list_suffix(const std::string& suffix) {
  const bool plain = std::all_of(suffix.begin(), suffix.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!plain) {
    fail("[dataset] lists = '", io::printable(suffix),
         "' is not a valid suffix of a list, expected letters, digits, '_' and '-'");
  }
}

/// Assigns the clips in a list to a split. Counts entries that are not clips of the dataset.
void mark_listed(const io::FileTree& tree, const std::string& file, SpeechSplit split,
                 SpeechSplits& splits, std::vector<std::string>& remarks) {
  if (!tree.has_file(file)) {
    fail(Hint{"[dataset] lists selects the lists"}, display_path(tree, file), " does not exist");
  }
  const auto list = read_text_list(tree, file);
  size_t missing = 0;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto entry = splits.find(listed_file(list.lines[i]));
    if (entry == splits.end()) {
      if (!list.lines[i].empty()) ++missing;
    } else if (entry->second != SpeechSplit::kTrain && entry->second != split) {
      fail(Hint{"remove it from one of the lists"}, list.location(i), " names the clip '",
           io::printable(list.lines[i]), "', which is also in the other list");
    } else {
      entry->second = split;
    }
  }
  if (missing > 0) {
    remarks.push_back(concat("skipped ", missing, " of ",
                             counted(list.lines.size(), "entry", "entries"), " of ", file,
                             ": not files of the dataset"));
  }
}

std::vector<ClassFolder> scan_words(const io::FileTree& tree, DatasetSplit& split) {
  auto words = scan_class_folders(tree, "", io::audio_extensions());
  std::erase_if(words, [](const ClassFolder& folder) { return folder.name.starts_with('_'); });
  UnreadFiles unread;
  for (const auto& word : words) {
    for (const auto& file : tree.files_below(word.name, {})) {
      if (!io::has_extension(file, io::audio_extensions()))
        unread.add(io::join_names(word.name, file));
    }
  }
  drop_empty_classes(words, SampleKind::kAudio, tree.name(), unread, split.warnings);
  check_training_classes(words, SampleKind::kAudio, tree.name());
  unread.report(split);
  return words;
}

/// Up to kEntriesProbed clips of class folders named by the list, evenly spaced.
std::vector<FileDataset::File> probe_list(const io::FileTree& tree, const std::string& file) {
  const auto list = read_text_list(tree, file);
  const size_t count = std::min(list.lines.size(), kEntriesProbed);
  std::vector<FileDataset::File> clips;
  for (size_t i = 0; i < count; ++i) {
    const auto name = listed_file(list.lines[i * list.lines.size() / count]);
    const bool in_class = name.find('/') != std::string::npos && !name.starts_with('_');
    if (in_class && io::has_extension(name, io::audio_extensions()) && tree.has_file(name)) {
      clips.push_back({name});
    }
  }
  return clips;
}

std::string find_list_problem(const io::FileTreePtr& tree) {
  auto clips = probe_list(*tree, kTestList);
  const auto more = probe_list(*tree, kValidationList);
  clips.insert(clips.end(), more.begin(), more.end());
  if (clips.empty()) return "they name no audio files of class folders";
  const FileDataset listed(tree, SampleKind::kAudio, {}, std::move(clips));
  const double seconds = median_seconds(listed, kWordsProbed);
  if (seconds <= kMaxMedianWordSeconds) return {};
  return concat("the clips last ", std::round(10 * seconds) / 10,
                " s, not 1 s as in Speech Commands");
}

DatasetPtr make_speech_split(const io::FileTreePtr& tree, const std::vector<ClassFolder>& words,
                             const SpeechSplits& splits, SpeechSplit split) {
  std::vector<FileDataset::File> samples;
  for (size_t c = 0; c < words.size(); ++c) {
    for (const auto& file : words[c].files) {
      if (splits.at(file) == split) samples.push_back({file, static_cast<int64_t>(c)});
    }
  }
  return std::make_shared<FileDataset>(tree, SampleKind::kAudio, folder_names(words),
                                       std::move(samples));
}

DatasetPtr open_noises(const io::FileTreePtr& tree) {
  if (!tree->has_folder(kNoiseFolder)) return nullptr;
  std::vector<FileDataset::File> noises;
  for (const auto& file : tree->files_below(kNoiseFolder, io::audio_extensions())) {
    noises.push_back({io::join_names(kNoiseFolder, file)});
  }
  if (noises.empty()) return nullptr;
  return std::make_shared<FileDataset>(tree, SampleKind::kAudio, std::vector<std::string>{},
                                       std::move(noises));
}

}  // namespace

bool is_speech_commands(const io::FileTreePtr& tree) {
  return why_not_speech_commands(tree) == "";
}

std::optional<std::string> why_not_speech_commands(const io::FileTreePtr& root) {
  const auto tree = find_speech_commands(root);
  if (!tree) return {};
  try {
    return find_list_problem(tree);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return error.what();
  }
}

DatasetSplit open_speech_commands(const io::FileTreePtr& root,
                                  const SpeechCommandsOptions& options) {
  check_list_suffix(options.lists);
  const auto tree = find_speech_commands(root);
  if (!tree) {
    fail(Hint{"pass the folder of Speech Commands or its archive"}, root->name(),
         " does not contain testing_list.txt and validation_list.txt");
  }
  DatasetSplit split;
  const auto words = scan_words(*tree, split);
  SpeechSplits assigned;
  for (const auto& word : words) {
    for (const auto& file : word.files) assigned.emplace(file, SpeechSplit::kTrain);
  }
  const auto test_list = list_file("testing_list", options.lists);
  const auto validation_list = list_file("validation_list", options.lists);
  mark_listed(*tree, test_list, SpeechSplit::kTest, assigned, split.remarks);
  mark_listed(*tree, validation_list, SpeechSplit::kValidation, assigned, split.remarks);

  const bool by_test = options.evaluate_on == SpeechCommandsTest::kTest;
  split.train = make_speech_split(tree, words, assigned, SpeechSplit::kTrain);
  split.test = make_speech_split(tree, words, assigned,
                                 by_test ? SpeechSplit::kTest : SpeechSplit::kValidation);
  split.background = open_noises(tree);
  const bool are_words = median_seconds(*split.train, kWordsProbed) <= kMaxMedianWordSeconds;
  split.seconds = are_words ? kWordSeconds : 0;
  if (split.train->size() == 0)
    fail(tree->name(), " has no training clips: all clips are in the lists");
  if (split.test->size() == 0) {
    fail(display_path(*tree, by_test ? test_list : validation_list),
         " names no clip of the dataset");
  }
  return split;
}

}  // namespace projnce::dataset
