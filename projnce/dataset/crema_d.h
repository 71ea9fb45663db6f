#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct CremaDOptions {
  /// Share of the speakers that are set aside to test with; above 0, below 1.
  double test_fraction = 0.2;
  uint64_t seed = 0;  ///< decides which speakers those are
  /// The speakers to test with ("1011"); none: drawn by the seed.
  std::vector<std::string> test_speakers = {};
};

/// Whether a folder of the tree holds AudioWAV with a file such as 1001_DFA_ANG_XX.wav.
bool is_crema_d(const FileTreePtr& tree);

/// Opens AudioWAV/SPEAKER_SENTENCE_EMOTION_LEVEL.wav; the classes are the six emotions. No speaker
/// is in both parts. Files of other names are left out with a remark. Throws where there are fewer
/// than two speakers or emotions, or a test speaker has no files.
DatasetSplit open_crema_d(const FileTreePtr& tree, const CremaDOptions& options = {});

}  // namespace projnce
