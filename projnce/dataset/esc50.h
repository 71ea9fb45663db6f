#pragma once

#include <cstdint>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct Esc50Options {
  int64_t fold = 5;  ///< the fold to test with, 1 to 5; the others are trained on
};

/// True where a folder of the tree holds meta/esc50.csv.
bool is_esc50(const FileTreePtr& tree);

/// Opens ESC-50: meta/esc50.csv with the columns filename, fold, target and category, and audio/.
/// The classes are in the order of their targets. The usual length is 5 s, unless the sounds have
/// another one. Sounds that are not there are left out with a
/// remark. Throws where the table is malformed or contradicts itself, or a part is empty.
DatasetSplit open_esc50(const FileTreePtr& tree, const Esc50Options& options = {});

}  // namespace projnce
