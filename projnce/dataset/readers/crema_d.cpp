#include "projnce/dataset/readers/sound_readers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

const char* const kCremaFolder = "AudioWAV";
constexpr double kCremaSeconds = 6.5;  // slightly less than the longest take
constexpr std::array kEmotionCodes = {"ANG", "DIS", "FEA", "HAP", "NEU", "SAD"};
const std::vector<std::string> kEmotions = {"anger", "disgust", "fear", "happy", "neutral", "sad"};

using FilesBySpeaker = std::map<std::string, std::vector<FileDataset::File>>;

/// Parses speaker and label from "1001_DFA_ANG_XX.wav"; std::nullopt for other names.
std::optional<std::pair<std::string, int64_t>> parse_crema_name(const std::string& name) {
  const auto fields = split_line(name.substr(0, name.find_last_of('.')), '_');
  if (fields.size() != 4 || fields[0].empty()) return {};
  const auto& speaker = fields[0];
  const bool numbered =
      std::all_of(speaker.begin(), speaker.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto emotion = std::find(kEmotionCodes.begin(), kEmotionCodes.end(), fields[2]);
  if (!numbered || emotion == kEmotionCodes.end()) return {};
  return std::pair{speaker, int64_t{emotion - kEmotionCodes.begin()}};
}

FilesBySpeaker group_by_speaker(const io::FileTree& tree, std::vector<std::string>& remarks) {
  FilesBySpeaker speakers;
  size_t skipped = 0;
  for (const auto& name : tree.files_below(kCremaFolder, {".wav"})) {
    if (const auto parsed = parse_crema_name(name)) {
      speakers[parsed->first].push_back({io::join_names(kCremaFolder, name), parsed->second});
    } else {
      ++skipped;
    }
  }
  if (skipped > 0) {
    remarks.push_back(concat("skipped ", counted(skipped, "file"),
                             " not named SPEAKER_SENTENCE_EMOTION_LEVEL.wav with a known emotion"));
  }
  return speakers;
}

std::vector<std::string> names_of(const FilesBySpeaker& speakers) {
  std::vector<std::string> names;
  for (const auto& [name, files] : speakers) names.push_back(name);
  return names;
}

std::set<std::string> draw_test_speakers(const FilesBySpeaker& speakers, const HoldOut& options) {
  auto names = names_of(speakers);
  if (options.rule == SplitRule::kHash) {
    std::vector<SampleId> ids;
    for (const auto& name : names) ids.push_back(hash_id(std::string_view(name)));
    const auto split = hash_split(ids, std::vector<int64_t>(ids.size(), 0),
                                  {.test_fraction = options.test_fraction, .seed = options.seed});
    std::set<std::string> chosen;
    for (const int64_t i : split.test) chosen.insert(names[static_cast<size_t>(i)]);
    return chosen;
  }
  Random random(options.seed);
  random.shuffle(names);
  const auto count = static_cast<int64_t>(names.size());
  const int64_t wanted = std::llround(options.test_fraction * static_cast<double>(count));
  return {names.begin(), names.begin() + std::clamp<int64_t>(wanted, 1, count - 1)};
}

std::set<std::string> choose_test_speakers(const FilesBySpeaker& speakers,
                                           const CremaDOptions& options) {
  if (options.test_speakers.empty()) return draw_test_speakers(speakers, options.hold_out);
  for (const auto& name : options.test_speakers) {
    if (!speakers.contains(name)) fail_unknown("speaker", io::printable(name), names_of(speakers));
  }
  return {options.test_speakers.begin(), options.test_speakers.end()};
}

size_t count_emotions(const std::vector<FileDataset::File>& files) {
  std::set<int64_t> labels;
  for (const auto& file : files) labels.insert(file.label);
  return labels.size();
}

}  // namespace

bool is_crema_d(const io::FileTreePtr& tree) {
  return find_subtree(tree, [&](const std::string& folder) {
           const auto sounds = io::join_names(folder, kCremaFolder);
           if (!tree->has_folder(sounds)) return false;
           const auto names = tree->files_below(sounds, {".wav"});
           return std::any_of(names.begin(), names.end(), [](const std::string& name) {
             return parse_crema_name(name).has_value();
           });
         }) != nullptr;
}

DatasetSplit open_crema_d(const io::FileTreePtr& root, const CremaDOptions& options) {
  const auto tree = find_subtree(root, [&](const std::string& folder) {
    return root->has_folder(io::join_names(folder, kCremaFolder));
  });
  if (!tree) {
    fail(Hint{"pass the folder of CREMA-D or its archive"}, root->name(), " contains no folder ",
         kCremaFolder);
  }
  DatasetSplit split;
  const auto speakers = group_by_speaker(*tree, split.remarks);
  if (speakers.size() < 2) {
    fail(display_path(*tree, kCremaFolder), " contains sounds of ", speakers.size(),
         " speakers, expected at least two: the splits are speaker-disjoint");
  }
  const auto test_speakers = choose_test_speakers(speakers, options);
  std::vector<FileDataset::File> train;
  std::vector<FileDataset::File> test;
  for (const auto& [speaker, files] : speakers) {
    auto& part = test_speakers.contains(speaker) ? test : train;
    part.insert(part.end(), files.begin(), files.end());
  }
  if (count_emotions(train) < 2) {
    fail(Hint{"test with fewer speakers"}, display_path(*tree, kCremaFolder), " has ",
         count_emotions(train), " emotions to train on, expected at least two");
  }
  split.seconds = kCremaSeconds;
  split.split_rule = options.test_speakers.empty() ? describe_rule(options.hold_out) + ", speakers"
                                                   : "test speakers " + join(options.test_speakers);
  split.train = std::make_shared<FileDataset>(tree, SampleKind::kSound, kEmotions, train);
  split.test = std::make_shared<FileDataset>(tree, SampleKind::kSound, kEmotions, test);
  split.remarks.push_back(
      concat("test split: ", test_speakers.size(), " of ", speakers.size(),
             " speakers: ", join({test_speakers.begin(), test_speakers.end()})));
  return split;
}

}  // namespace projnce::dataset
