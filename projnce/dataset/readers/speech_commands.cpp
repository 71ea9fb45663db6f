#include "projnce/dataset/readers/sound_readers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/dataset/wrappers/clips.h"
#include "projnce/io/audio/sound_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

const char* const kNoiseFolder = "_background_noise_";
const char* const kTestList = "testing_list.txt";
const char* const kValidationList = "validation_list.txt";
constexpr double kWordSeconds = 1;
constexpr double kLongestWordSeconds =
    1.5;  // half of the words are shorter, also of other speakers
constexpr int64_t kWordsProbed = 15;
constexpr size_t kEntriesProbed = 200;  // of a list

enum class SpeechPart { kTrain, kTest, kValidation };

using SpeechParts = std::unordered_map<std::string, SpeechPart>;  // by the sound's file

io::FileTreePtr find_speech_commands(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {kTestList, kValidationList});
}

/// The file that an entry names; "" for a blank one or one that leads out of the dataset.
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
         "' is no end of a list's name, expected letters, digits, '_' and '-'");
  }
}

/// Marks the sounds that a list names. Other entries, also such as lead out of the dataset, name
/// nothing and are counted.
void mark_listed(const io::FileTree& tree, const std::string& file, SpeechPart part,
                 SpeechParts& parts, std::vector<std::string>& remarks) {
  if (!tree.has_file(file)) {
    fail(Hint{"[dataset] lists chooses between lists"}, place_in(tree, file), " does not exist");
  }
  const auto list = read_text_list(tree, file);
  size_t missing = 0;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto sound = parts.find(listed_file(list.lines[i]));
    if (sound == parts.end()) {
      if (!list.lines[i].empty()) ++missing;
    } else if (sound->second != SpeechPart::kTrain && sound->second != part) {
      fail(Hint{"take it out of one of the lists"}, list.place(i), " names the sound '",
           io::printable(list.lines[i]), "', which is in the other list too");
    } else {
      sound->second = part;
    }
  }
  if (missing > 0) {
    remarks.push_back(concat(missing, " of ", list.lines.size(), " entries of ", file,
                             " name no sound of the dataset and were passed over"));
  }
}

std::vector<ClassFolder> scan_words(const io::FileTree& tree, DatasetSplit& split) {
  auto words = scan_class_folders(tree, "", io::sound_extensions());
  std::erase_if(words, [](const ClassFolder& folder) { return folder.name.starts_with('_'); });
  UnreadFiles unread;
  for (const auto& word : words) {
    for (const auto& file : tree.files_below(word.name, {})) {
      if (!io::has_extension(file, io::sound_extensions()))
        unread.add(io::join_names(word.name, file));
    }
  }
  drop_empty_classes(words, SampleKind::kSound, tree.name(), unread, split.warnings);
  check_training_classes(words, SampleKind::kSound, tree.name());
  unread.report(split);
  return words;
}

/// Up to kEntriesProbed sounds of class folders that the list names, evenly spaced.
std::vector<FileDataset::File> probe_list(const io::FileTree& tree, const std::string& file) {
  const auto list = read_text_list(tree, file);
  const size_t count = std::min(list.lines.size(), kEntriesProbed);
  std::vector<FileDataset::File> sounds;
  for (size_t i = 0; i < count; ++i) {
    const auto name = listed_file(list.lines[i * list.lines.size() / count]);
    const bool in_class = name.find('/') != std::string::npos && !name.starts_with('_');
    if (in_class && io::has_extension(name, io::sound_extensions()) && tree.has_file(name)) {
      sounds.push_back({name});
    }
  }
  return sounds;
}

std::string object_to_lists(const io::FileTreePtr& tree) {
  auto sounds = probe_list(*tree, kTestList);
  const auto more = probe_list(*tree, kValidationList);
  sounds.insert(sounds.end(), more.begin(), more.end());
  if (sounds.empty()) return "they name no sound of a class folder";
  const FileDataset listed(tree, SampleKind::kSound, {}, std::move(sounds));
  const double seconds = median_seconds(listed, kWordsProbed);
  if (seconds <= kLongestWordSeconds) return {};
  return concat("the sounds last ", std::round(10 * seconds) / 10,
                " s, not 1 s as those of Speech Commands");
}

DatasetPtr take_speech_part(const io::FileTreePtr& tree, const std::vector<ClassFolder>& words,
                            const SpeechParts& parts, SpeechPart part) {
  std::vector<FileDataset::File> samples;
  for (size_t c = 0; c < words.size(); ++c) {
    for (const auto& file : words[c].files) {
      if (parts.at(file) == part) samples.push_back({file, static_cast<int64_t>(c)});
    }
  }
  return std::make_shared<FileDataset>(tree, SampleKind::kSound, folder_names(words),
                                       std::move(samples));
}

DatasetPtr open_noises(const io::FileTreePtr& tree) {
  if (!tree->has_folder(kNoiseFolder)) return nullptr;
  std::vector<FileDataset::File> noises;
  for (const auto& file : tree->files_below(kNoiseFolder, io::sound_extensions())) {
    noises.push_back({io::join_names(kNoiseFolder, file)});
  }
  if (noises.empty()) return nullptr;
  return std::make_shared<FileDataset>(tree, SampleKind::kSound, std::vector<std::string>{},
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
    return object_to_lists(tree);
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
    fail(Hint{"give the folder of Speech Commands or its archive"}, root->name(),
         " holds no testing_list.txt with validation_list.txt beside it");
  }
  DatasetSplit split;
  const auto words = scan_words(*tree, split);
  SpeechParts parts;
  for (const auto& word : words) {
    for (const auto& file : word.files) parts.emplace(file, SpeechPart::kTrain);
  }
  const auto test_list = list_file("testing_list", options.lists);
  const auto validation_list = list_file("validation_list", options.lists);
  mark_listed(*tree, test_list, SpeechPart::kTest, parts, split.remarks);
  mark_listed(*tree, validation_list, SpeechPart::kValidation, parts, split.remarks);

  const bool by_test = options.judge_by == SpeechCommandsTest::kTest;
  split.train = take_speech_part(tree, words, parts, SpeechPart::kTrain);
  split.test =
      take_speech_part(tree, words, parts, by_test ? SpeechPart::kTest : SpeechPart::kValidation);
  split.background = open_noises(tree);
  const bool are_words = median_seconds(*split.train, kWordsProbed) <= kLongestWordSeconds;
  split.seconds = are_words ? kWordSeconds : 0;
  if (split.train->size() == 0) fail(tree->name(), " has no sound that neither list names");
  if (split.test->size() == 0) {
    fail(place_in(*tree, by_test ? test_list : validation_list), " names no sound of the dataset");
  }
  return split;
}

}  // namespace projnce::dataset
