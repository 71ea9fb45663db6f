#pragma once

#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/encoder/embedding_model.h"

namespace projnce {

/// The encoder named by `name` with its head, as the table [encoder] describes them; completes the
/// table. Weights are drawn from LibTorch's default generator.
EmbeddingModelPtr make_model(Table& table, const InputShape& input);

/// Completes the table [encoder] with the defaults of the encoder that it names and throws an Error
/// if a key or value is wrong, as make_model does. Builds nothing and draws no random numbers.
void complete_encoder_table(Table& table);

/// The names that make_model knows.
std::vector<std::string> encoder_names();

}  // namespace projnce
