#include "bench/image_server.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "projnce/augment/sample_views.h"
#include "projnce/core/error.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::bench {

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Makes one view of each file in a folder.
class JpegViews {
 public:
  JpegViews(const std::filesystem::path& folder, int size)
      : transform_({.jitter_probability = 0, .grayscale_probability = 0},
                   testing::plain_format(3, size)),
        out_(transform_.format().values()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files_.push_back(entry.path());
    }
    std::sort(files_.begin(), files_.end());
  }

  size_t run() {
    for (const auto& file : files_) {
      const uint64_t seed = derive_seed(1, made_++);
      const auto image = io::read_image(file, file.filename().string(), [&](int height, int width) {
        return transform_.required_region({&seed, 1}, height, width);
      });
      transform_.make_view(image, seed, out_.data());
    }
    return files_.size();
  }

 private:
  augment::TrainTransform transform_;
  std::vector<float> out_;
  std::vector<std::filesystem::path> files_;
  uint64_t made_ = 0;
};

/// Makes SupCon's two views of in-memory images.
class MemoryViews {
 public:
  MemoryViews() : transform_({}, testing::plain_format(3, 32)), out_(transform_.format().values()) {
    for (uint64_t i = 0; i < 1000; ++i) images_.push_back(testing::random_image(32, 32, 3, i));
  }

  size_t run(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      for (int64_t view = 0; view < 2; ++view) {
        const auto index = static_cast<int64_t>(i);
        transform_.make_view(images_[i % images_.size()], augment::view_seed(1, 0, index, view),
                             out_.data());
      }
    }
    return count;
  }

 private:
  augment::TrainTransform transform_;
  std::vector<float> out_;
  std::vector<Image> images_;
};

template <class Work>
void respond(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  const size_t samples = work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const nlohmann::json line = {
      {"samples", samples}, {"seconds", taken.count()}, {"cpu_seconds", cpu_seconds() - cpu}};
  std::cout << line.dump() << std::endl;
}

void serve(const std::filesystem::path& folder, int size) {
  JpegViews jpegs(folder, size);
  MemoryViews views;
  for (std::string request; std::getline(std::cin, request);) {
    std::istringstream words(request);
    std::string name;
    size_t count = 0;
    words >> name >> count;
    if (name == "jpeg") {
      respond([&] { return jpegs.run(); });
    } else if (name == "views") {
      respond([&] { return views.run(count); });
    } else {
      fail("unknown request '", request, "', expected jpeg or views COUNT");
    }
  }
}

}  // namespace

int serve_images(int argc, char** argv) {
  try {
    if (argc != 4) fail("usage: projnce-image-bench --serve FOLDER SIZE");
    serve(argv[2], std::stoi(argv[3]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace projnce::bench
