#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/io/npy.h"
#include "projnce/io/safetensors_reader.h"

namespace projnce {

/// A tensor of a safetensors file as an array; throws for the types that .npy files have not.
NpyView as_array(const SafetensorsView& file, const StoredTensor& tensor,
                 const std::string& origin);

/// The values of an array of floats of 16 to 64 bits. Throws, naming the row (the first dimension),
/// where one is not finite, and for other types.
std::vector<float> finite_floats(const NpyView& array, const std::string& origin);

/// The values of an array of whole numbers, all 0 or more. Throws for others.
std::vector<int64_t> whole_numbers(const NpyView& array, const std::string& origin);

}  // namespace projnce
