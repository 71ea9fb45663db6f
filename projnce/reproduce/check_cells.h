#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/registry.h"
#include "projnce/reproduce/cells.h"

namespace projnce {

/// Cells of one dataset and condition that cannot be trained.
struct ImpossibleCells {
  std::string column;  ///< "Fashion-MNIST, trained on vehicle and animal"
  std::string reason;  ///< a sentence
  std::vector<Cell> cells;
};

/// Takes the cells out of `cells` whose settings do not fit their dataset: a condition that only
/// another dataset has, noise that only images take, options out of range. Reads settings and the
/// dataset's index; trains and decodes nothing.
std::vector<ImpossibleCells> take_out_impossible(std::vector<Cell>& cells,
                                                 const OpenContext& context);

}  // namespace projnce
