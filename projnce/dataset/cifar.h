#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/record_file.h"

namespace projnce {

/// What CIFAR-10 and CIFAR-100 share: records of some label bytes, then the red, green and blue
/// plane of a picture of 32 x 32 pixels, row by row.
inline constexpr size_t kCifarPixelBytes = size_t{3} * 32 * 32;

/// Label byte `byte` of every record. Throws, naming the record, where one is not below `classes`.
std::vector<int64_t> cifar_labels(const RecordFiles& records, size_t byte, size_t classes);

/// Pictures out of CIFAR records under the labels given. Several may share the records.
DatasetPtr make_cifar_dataset(std::shared_ptr<const RecordFiles> records,
                              std::vector<std::string> class_names, std::vector<int64_t> labels);

/// The names in a file, or the official ones, with a remark, where the file is missing.
std::vector<std::string> names_or_official(const FileTree& tree, const std::string& file,
                                           const std::vector<std::string>& official,
                                           std::vector<std::string>& remarks);

}  // namespace projnce
