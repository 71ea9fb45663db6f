#pragma once

#include <optional>
#include <string>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

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
bool is_speech_commands(const FileTreePtr& tree);

/// Why the tree is not Speech Commands although it holds both lists: "its sounds last 5.0 s, ...".
/// "" if it is; none if a list is missing.
std::optional<std::string> why_not_speech_commands(const FileTreePtr& tree);

/// Opens Speech Commands: a folder of sounds for each word, in the order of their names; those that
/// begin with '_' are no words, and _background_noise_ becomes the background. What neither list
/// names is trained on. Entries whose sounds are not there are passed over with a remark, words
/// without sounds with a warning; blank lines and spaces at the end of a line do not matter. The
/// usual length is 1 s, unless the sounds are longer. Throws where a list is missing or leaves
/// nothing, or a sound is in both lists.
DatasetSplit open_speech_commands(const FileTreePtr& tree,
                                  const SpeechCommandsOptions& options = {});

}  // namespace projnce
