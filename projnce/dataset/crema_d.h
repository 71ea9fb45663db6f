#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct CremaDOptions {
  /// The speakers that are set aside to test with, chosen by their numbers.
  HoldOut hold_out = {};
  /// The speakers to test with ("1011"); none: chosen by `hold_out`.
  std::vector<std::string> test_speakers = {};
};

/// Whether a folder of the tree holds AudioWAV with a file such as 1001_DFA_ANG_XX.wav.
bool is_crema_d(const FileTreePtr& tree);

/// Opens AudioWAV/SPEAKER_SENTENCE_EMOTION_LEVEL.wav; the classes are the six emotions. No speaker
/// is in both parts. Files of other names are left out with a remark. Throws where there are fewer
/// than two speakers or emotions, or a test speaker has no files.
DatasetSplit open_crema_d(const FileTreePtr& tree, const CremaDOptions& options = {});

}  // namespace projnce
