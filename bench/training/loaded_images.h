#pragma once

#include <filesystem>
#include <string>

#include "projnce/loader/loaders.h"

namespace projnce::bench {

/// Gray images of 28 x 28 in memory.
struct LoadedImages {
  std::string name;
  dataset::DatasetPtr dataset;

  loader::TrainLoaderOptions loader_options(int64_t batch_size, int threads) const;
};

/// Fashion-MNIST where it is found, else as many made ones of the same shape.
LoadedImages load_images(const std::filesystem::path& data_root);

}  // namespace projnce::bench
