#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

struct CremaDOptions {
  /// Selects the test speakers by their numbers.
  HoldOut hold_out = {};
  /// Test speakers, such as "1011"; if empty, selected by `hold_out`.
  std::vector<std::string> test_speakers = {};
};

/// True if a folder of the tree contains AudioWAV with a file such as 1001_DFA_ANG_XX.wav.
bool is_crema_d(const io::FileTreePtr& tree);

/// Opens AudioWAV/SPEAKER_SENTENCE_EMOTION_LEVEL.wav; the classes are the six emotions. The splits
/// are speaker-disjoint. Files with other names are skipped with a remark. Throws if there are
/// fewer than two speakers or emotions, or if a test speaker has no files.
DatasetSplit open_crema_d(const io::FileTreePtr& tree, const CremaDOptions& options = {});

struct Esc50Options {
  int64_t fold = 5;  ///< test fold, 1 to 5; the others are for training
};

/// True if a folder of the tree contains meta/esc50.csv.
bool is_esc50(const io::FileTreePtr& tree);

/// Opens ESC-50: meta/esc50.csv with the columns filename, fold, target and category, and audio/.
/// Classes are ordered by target. The typical length is 5 s unless the clips differ. Missing
/// clips are skipped with a remark. Throws if the table is malformed or inconsistent, or a split
/// is empty.
DatasetSplit open_esc50(const io::FileTreePtr& tree, const Esc50Options& options = {});

/// List that defines the test split; the clips of the other list are unused.
enum class SpeechCommandsTest { kTest, kValidation };

struct SpeechCommandsOptions {
  SpeechCommandsTest evaluate_on = SpeechCommandsTest::kTest;
  /// Suffix of the lists: "speaker_disjoint" reads testing_list_speaker_disjoint.txt and the
  /// corresponding validation list; "" reads the official lists.
  std::string lists;
};

/// True if a folder of the tree contains testing_list.txt and validation_list.txt, and the lists
/// name audio files of class folders that have the length of single words.
bool is_speech_commands(const io::FileTreePtr& tree);

/// Reason why the tree is not Speech Commands although it contains both lists: "the clips last
/// 5 s, ...". "" if it is Speech Commands; std::nullopt if a list is missing.
std::optional<std::string> why_not_speech_commands(const io::FileTreePtr& tree);

/// Opens Speech Commands: a folder of clips per word, sorted by name. Folders that start with '_'
/// are not words; _background_noise_ becomes the background. Clips in neither list are the
/// training split. Listed clips that do not exist are skipped with a remark, words without clips
/// with a warning; blank lines and trailing spaces are ignored. The typical length is 1 s unless
/// the clips are longer. Throws if a list is missing or names no clip, or if a clip is in both
/// lists.
DatasetSplit open_speech_commands(const io::FileTreePtr& tree,
                                  const SpeechCommandsOptions& options = {});

}  // namespace projnce::dataset
