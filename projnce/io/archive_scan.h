#pragma once

#include <memory>
#include <string>

#include "projnce/io/archive_contents.h"
#include "projnce/io/archive_index.h"

namespace projnce {

struct ScannedArchive {
  ArchiveIndex index;
  std::unique_ptr<ArchiveContents> contents;
  std::string remark;  ///< a sentence on entries that were left out; "" where there are none
};

/// Reads an archive once from front to back. Of a plain tar only the places of its members are
/// kept; of others the contents are unpacked. Regular files, folders and hard links between files
/// of the archive are taken over; links to elsewhere, devices, pipes and names that lead out of the
/// archive are left out. Throws where the archive is damaged, cut short, holds no file, or is made
/// to do harm.
ScannedArchive scan_archive(RegularFile file, const FileTreeOptions& options);

}  // namespace projnce
