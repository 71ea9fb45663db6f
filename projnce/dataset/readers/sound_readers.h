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
  /// The speakers that are set aside to test with, chosen by their numbers.
  HoldOut hold_out = {};
  /// The speakers to test with ("1011"); none: chosen by `hold_out`.
  std::vector<std::string> test_speakers = {};
};

/// Whether a folder of the tree holds AudioWAV with a file such as 1001_DFA_ANG_XX.wav.
bool is_crema_d(const io::FileTreePtr& tree);

/// Opens AudioWAV/SPEAKER_SENTENCE_EMOTION_LEVEL.wav; the classes are the six emotions. No speaker
/// is in both parts. Files of other names are left out with a remark. Throws where there are fewer
/// than two speakers or emotions, or a test speaker has no files.
DatasetSplit open_crema_d(const io::FileTreePtr& tree, const CremaDOptions& options = {});

struct Esc50Options {
  int64_t fold = 5;  ///< the fold to test with, 1 to 5; the others are trained on
};

/// True where a folder of the tree holds meta/esc50.csv.
bool is_esc50(const io::FileTreePtr& tree);

/// Opens ESC-50: meta/esc50.csv with the columns filename, fold, target and category, and audio/.
/// The classes are in the order of their targets. The usual length is 5 s, unless the sounds have
/// another one. Sounds that are not there are left out with a
/// remark. Throws where the table is malformed or contradicts itself, or a part is empty.
DatasetSplit open_esc50(const io::FileTreePtr& tree, const Esc50Options& options = {});

/// Which of the lists is the test part; the other is not used at all.
enum class SpeechCommandsTest { kTest, kValidation };

struct SpeechCommandsOptions {
  SpeechCommandsTest judge_by = SpeechCommandsTest::kTest;
  /// "speaker_disjoint" reads testing_list_speaker_disjoint.txt and its validation list; "" the
  /// official ones.
  std::string lists;
};

/// Whether a folder of the tree holds testing_list.txt and validation_list.txt, they name sounds of
/// class folders, and those have the length of single words.
bool is_speech_commands(const io::FileTreePtr& tree);

/// Why the tree is not Speech Commands although it holds both lists: "its sounds last 5.0 s, ...".
/// "" if it is; none if a list is missing.
std::optional<std::string> why_not_speech_commands(const io::FileTreePtr& tree);

/// Opens Speech Commands: a folder of sounds for each word, in the order of their names; those that
/// begin with '_' are no words, and _background_noise_ becomes the background. What neither list
/// names is trained on. Entries whose sounds are not there are passed over with a remark, words
/// without sounds with a warning; blank lines and spaces at the end of a line do not matter. The
/// usual length is 1 s, unless the sounds are longer. Throws where a list is missing or leaves
/// nothing, or a sound is in both lists.
DatasetSplit open_speech_commands(const io::FileTreePtr& tree,
                                  const SpeechCommandsOptions& options = {});

}  // namespace projnce::dataset
