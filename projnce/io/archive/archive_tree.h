#pragma once

#include "projnce/io/archive/archive_scan.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::io {

/// A tar or zip archive, optionally compressed, read in place. Names are the raw bytes stored in
/// the archive; only names that a zip marks as UTF-8 are NFC-normalized.
class ArchiveTree : public FileTree {
 public:
  ArchiveTree(const std::filesystem::path& path, const FileTreeOptions& options);

  const std::string& name() const override { return name_; }
  std::string remark() const override { return archive_.remark; }
  bool has_file(const std::string& file) const override;
  bool has_folder(const std::string& folder) const override;
  std::vector<std::string> subfolders(const std::string& folder) const override;
  std::vector<std::string> files_below(const std::string& folder,
                                       const std::vector<std::string>& extensions) const override;
  FileBytes read(const std::string& file, size_t limit) const override;
  uint64_t file_size(const std::string& file) const override;
  FileBytes read_range(const std::string& file, uint64_t offset, size_t size) const override;
  std::string content_id(const std::string& file) const override;

 private:
  std::string find_folder(const std::string& folder) const;
  const MemberExtent& find_member(const std::string& file) const;

  std::string name_;
  std::string id_;  ///< identifies the archive; prefix of the members' content ids
  ScannedArchive archive_;
};

}  // namespace projnce::io
