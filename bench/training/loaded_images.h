#pragma once

#include <filesystem>
#include <string>

#include "projnce/loader/loaders.h"

namespace projnce::bench {

/// In-memory grayscale images of 28 x 28.
struct LoadedImages {
  std::string name;
  dataset::DatasetPtr dataset;

  loader::TrainLoaderOptions loader_options(int64_t batch_size, int threads) const;
};

/// Returns Fashion-MNIST if it is found, else random images of the same shape and number.
LoadedImages load_images(const std::filesystem::path& data_root);

}  // namespace projnce::bench
