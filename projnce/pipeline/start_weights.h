#pragma once

#include <optional>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/logging.h"
#include "projnce/core/table.h"
#include "projnce/encoder/embedding_model.h"
#include "projnce/loss/loss.h"

namespace projnce {

/// The weights that train.init of the configuration names, a file or another run's directory;
/// nothing where it names none.
std::optional<TensorFile> read_start_weights(Table config);

/// Puts the weights into the model, and into the loss where they are of the same one, and logs what
/// was taken. Throws where they do not fit the encoder.
void start_from(const TensorFile& weights, EmbeddingModel& model, const Loss& loss,
                const Logger& logger);

}  // namespace projnce
