#pragma once

#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/encoder/embedding_model.h"

namespace projnce {

/// The encoder named by `name` with its head, as the table [encoder] describes them; completes the
/// table. Weights are drawn from LibTorch's default generator.
EmbeddingModelPtr make_model(Table& table, const InputShape& input);

/// The names that make_model knows.
std::vector<std::string> encoder_names();

}  // namespace projnce
