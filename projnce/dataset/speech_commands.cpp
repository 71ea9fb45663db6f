#include "projnce/dataset/speech_commands.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/file_dataset.h"
#include "projnce/dataset/layout.h"
#include "projnce/dataset/text_list.h"
#include "projnce/io/printable.h"
#include "projnce/io/sound_file.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

const char* const kNoiseFolder = "_background_noise_";

enum class SpeechPart { kTrain, kTest, kValidation };

using SpeechParts = std::unordered_map<std::string, SpeechPart>;  // by the sound's file

FileTreePtr find_speech_commands(const FileTreePtr& tree) {
  return find_subtree_with(tree, {"testing_list.txt", "validation_list.txt"});
}

std::string list_file(const std::string& stem, const std::string& suffix) {
  return suffix.empty() ? stem + ".txt" : stem + "_" + suffix + ".txt";
}

void check_list_suffix(const std::string& suffix) {
  const bool plain = std::all_of(suffix.begin(), suffix.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!plain) {
    fail("[dataset] lists = '", printable(suffix),
         "' is no end of a list's name, expected letters, digits, '_' and '-'");
  }
}

/// Marks the sounds that a list names. Other entries, also such as lead out of the dataset, name
/// nothing and are counted.
void mark_listed(const FileTree& tree, const std::string& file, SpeechPart part, SpeechParts& parts,
                 std::vector<std::string>& remarks) {
  if (!tree.has_file(file)) {
    fail(Hint{"[dataset] lists chooses between lists"}, place_in(tree, file), " does not exist");
  }
  const auto list = read_text_list(tree, file);
  size_t missing = 0;
  for (size_t i = 0; i < list.lines.size(); ++i) {
    const auto sound = parts.find(list.lines[i]);
    if (sound == parts.end()) {
      if (!list.lines[i].empty()) ++missing;
    } else if (sound->second != SpeechPart::kTrain && sound->second != part) {
      fail(Hint{"take it out of one of the lists"}, list.place(i), " names the sound '",
           printable(list.lines[i]), "', which is in the other list too");
    } else {
      sound->second = part;
    }
  }
  if (missing > 0) {
    remarks.push_back(concat(missing, " of ", list.lines.size(), " entries of ", file,
                             " name no sound of the dataset and were passed over"));
  }
}

std::vector<ClassFolder> scan_words(const FileTree& tree) {
  auto words = scan_class_folders(tree, "", sound_extensions());
  std::erase_if(words, [](const ClassFolder& folder) { return folder.name.starts_with('_'); });
  check_training_classes(words, SampleKind::kSound, tree.name());
  return words;
}

DatasetPtr take_speech_part(const FileTreePtr& tree, const std::vector<ClassFolder>& words,
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

DatasetPtr open_noises(const FileTreePtr& tree) {
  if (!tree->has_folder(kNoiseFolder)) return nullptr;
  std::vector<FileDataset::File> noises;
  for (const auto& file : tree->files_below(kNoiseFolder, sound_extensions())) {
    noises.push_back({join_names(kNoiseFolder, file)});
  }
  if (noises.empty()) return nullptr;
  return std::make_shared<FileDataset>(tree, SampleKind::kSound, std::vector<std::string>{},
                                       std::move(noises));
}

}  // namespace

bool is_speech_commands(const FileTreePtr& tree) {
  return find_speech_commands(tree) != nullptr;
}

DatasetSplit open_speech_commands(const FileTreePtr& root, const SpeechCommandsOptions& options) {
  check_list_suffix(options.lists);
  const auto tree = find_speech_commands(root);
  if (!tree) {
    fail(Hint{"give the folder of Speech Commands or its archive"}, root->name(),
         " holds no testing_list.txt with validation_list.txt beside it");
  }
  const auto words = scan_words(*tree);
  SpeechParts parts;
  for (const auto& word : words) {
    for (const auto& file : word.files) parts.emplace(file, SpeechPart::kTrain);
  }
  DatasetSplit split;
  const auto test_list = list_file("testing_list", options.lists);
  const auto validation_list = list_file("validation_list", options.lists);
  mark_listed(*tree, test_list, SpeechPart::kTest, parts, split.remarks);
  mark_listed(*tree, validation_list, SpeechPart::kValidation, parts, split.remarks);

  const bool by_test = options.judge_by == SpeechCommandsTest::kTest;
  split.train = take_speech_part(tree, words, parts, SpeechPart::kTrain);
  split.test =
      take_speech_part(tree, words, parts, by_test ? SpeechPart::kTest : SpeechPart::kValidation);
  split.background = open_noises(tree);
  split.seconds = 1;
  if (split.train->size() == 0) fail(tree->name(), " has no sound that neither list names");
  if (split.test->size() == 0) {
    fail(place_in(*tree, by_test ? test_list : validation_list), " names no sound of the dataset");
  }
  return split;
}

}  // namespace projnce
