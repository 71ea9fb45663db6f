#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/io/filesystem/file_tree.h"
#include "tests/support/audio_files.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::testing {

/// Builds a dataset file by file, to be opened as a folder or as an archive.
class DatasetFolder {
 public:
  void write(const std::string& file, const Bytes& bytes) { write_file(root() / file, bytes); }
  void write_text(const std::string& file, std::string_view text) { write(file, octets_of(text)); }
  void add_image(const std::string& file) { write(file, io::encode_png(plain_image(2, 3, {9}))); }
  void add_clip(const std::string& file) { write(file, encode_wav(8000, {0, 100, -100, 7})); }
  void remove(const std::string& file) { std::filesystem::remove_all(root() / file); }

  std::filesystem::path root() const { return dir_.path() / "data"; }
  io::FileTreePtr tree() const { return io::open_file_tree(root()); }

  /// Returns a .tar.gz of the folder.
  std::filesystem::path pack() const {
    const auto archive = dir_.path() / "packed.tar.gz";
    const auto command = "tar czf " + archive.string() + " -C " + dir_.path().string() + " data";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot pack a folder");
    return archive;
  }
  io::FileTreePtr packed() const { return io::open_file_tree(pack()); }

 private:
  ScratchDir dir_;
};

inline std::vector<std::string> sample_names(const dataset::Dataset& dataset) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < dataset.size(); ++i) names.push_back(dataset.sample_name(i));
  return names;
}

}  // namespace projnce::testing
