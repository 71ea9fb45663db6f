#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace projnce {

struct Prediction {
  std::string file;
  std::string class_name;
  double similarity = 0;  ///< cosine with the class's centroid; the probability for ce
  std::string problem;    ///< why the file could not be used; empty if it could
};

/// The class of each picture or sound, by the model of a finished run; in the order given.
std::vector<Prediction> predict_files(const std::filesystem::path& run,
                                      const std::vector<std::filesystem::path>& files);

}  // namespace projnce
