#pragma once

#include <string>
#include <vector>

#include "tests/support/data_files.h"

namespace projnce::testing {

enum class Packing { kTar, kPaxTar, kTarGz, kTarBz2, kTarXz, kTarZst, kZip };

struct ArchiveMember {
  enum class Kind { kFile, kFolder, kHardLink, kSymbolicLink, kDevice, kPipe };

  std::string name;
  std::string content;  ///< for a link: its target
  Kind kind = Kind::kFile;
};

/// Returns an archive of these members in order. Names may be arbitrary.
Bytes pack(Packing packing, const std::vector<ArchiveMember>& members);

}  // namespace projnce::testing
