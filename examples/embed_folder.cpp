// Finds similar images of a folder with a trained model:
//
//   embed_folder runs/photos some/images embeddings.npy
//
// Prints the nearest neighbors of each image and saves the embeddings, one row per line.
#include <projnce/core/error.h>
#include <projnce/core/threads.h>
#include <projnce/data/training_data.h>
#include <projnce/eval/nearest_neighbors.h>
#include <projnce/inference/array_files.h>
#include <projnce/inference/trained_model.h>
#include <projnce/io/filesystem/run_directory.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <set>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> find_images(const fs::path& folder) {
  const std::set<fs::path> endings{".jpg", ".jpeg", ".png"};
  std::vector<fs::path> images;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (endings.contains(entry.path().extension())) images.push_back(entry.path());
  }
  std::sort(images.begin(), images.end());
  if (images.size() < 2) projnce::fail(folder.string(), " has fewer than two images");
  return images;
}

void print_neighbors(const std::vector<fs::path>& images, const fs::path& folder,
                     const torch::Tensor& embeddings) {
  const auto count = std::min<int64_t>(3, embeddings.size(0) - 1);
  const auto nearest = projnce::eval::nearest_neighbors(embeddings, embeddings,
                                                        {.neighbors = count, .exclude_self = true});
  for (int64_t row = 0; row < embeddings.size(0); ++row) {
    std::cout << fs::relative(images[row], folder).string() << ':';
    for (int64_t k = 0; k < count; ++k) {
      const auto& neighbor = images[nearest.indices[row][k].item<int64_t>()];
      std::cout << "  " << fs::relative(neighbor, folder).string() << " ("
                << nearest.scores[row][k].item<float>() << ')';
    }
    std::cout << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) projnce::fail("expected RUN FOLDER OUTPUT.npy");
  const fs::path folder = argv[2];
  const int threads = projnce::set_threads(0);
  const auto trained =
      projnce::inference::load_trained_model(projnce::io::find_run(argv[1]).encoder());
  const auto images = find_images(folder);
  const auto samples = projnce::data::open_files(images, trained.input);
  const auto set = projnce::inference::embed_samples(
      trained, samples, {.label = "embedding", .threads = threads, .strict = true},
      projnce::make_logger());
  projnce::inference::write_array(argv[3], set.embeddings);
  print_neighbors(images, folder, set.embeddings);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
