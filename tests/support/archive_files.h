#pragma once

#include <string>
#include <vector>

#include "tests/support/data_files.h"

namespace projnce::testing {

enum class Packing { kTar, kPaxTar, kTarGz, kTarBz2, kTarXz, kTarZst, kZip };

struct ArchiveMember {
  enum class Kind { kFile, kFolder, kHardLink, kSymbolicLink, kDevice, kPipe };

  std::string name;
  std::string content;  ///< of a link: the name that it leads to
  Kind kind = Kind::kFile;
};

/// An archive of these members, in their order, whatever their names are.
Bytes pack(Packing packing, const std::vector<ArchiveMember>& members);

}  // namespace projnce::testing
