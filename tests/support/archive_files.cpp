#include "tests/support/archive_files.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <stdexcept>

namespace projnce::testing {

namespace {

la_ssize_t append_bytes(archive*, void* bytes, const void* block, size_t size) {
  const auto* begin = static_cast<const uint8_t*>(block);
  static_cast<Bytes*>(bytes)->insert(static_cast<Bytes*>(bytes)->end(), begin, begin + size);
  return static_cast<la_ssize_t>(size);
}

void require_packed(int status, archive* writer) {
  // Names that are not text cause a warning; some tests use them on purpose.
  if (status < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(writer));
}

void choose_format(archive* writer, Packing packing) {
  if (packing == Packing::kZip) {
    archive_write_set_format_zip(writer);
  } else if (packing == Packing::kPaxTar) {
    archive_write_set_format_pax(writer);
  } else {
    archive_write_set_format_gnutar(writer);
  }
  if (packing == Packing::kTarGz) archive_write_add_filter_gzip(writer);
  if (packing == Packing::kTarBz2) archive_write_add_filter_bzip2(writer);
  if (packing == Packing::kTarXz) archive_write_add_filter_xz(writer);
  if (packing == Packing::kTarZst) archive_write_add_filter_zstd(writer);
}

void describe(archive_entry* entry, const ArchiveMember& member) {
  using Kind = ArchiveMember::Kind;
  archive_entry_set_pathname(entry, member.name.c_str());
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_filetype(entry, AE_IFREG);
  if (member.kind == Kind::kFile) {
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
  }
  if (member.kind == Kind::kFolder) archive_entry_set_filetype(entry, AE_IFDIR);
  if (member.kind == Kind::kHardLink) archive_entry_set_hardlink(entry, member.content.c_str());
  if (member.kind == Kind::kDevice) archive_entry_set_filetype(entry, AE_IFCHR);
  if (member.kind == Kind::kPipe) archive_entry_set_filetype(entry, AE_IFIFO);
  if (member.kind == Kind::kSymbolicLink) {
    archive_entry_set_filetype(entry, AE_IFLNK);
    archive_entry_set_symlink(entry, member.content.c_str());
  }
}

}  // namespace

Bytes pack(Packing packing, const std::vector<ArchiveMember>& members) {
  Bytes bytes;
  const std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
  choose_format(writer.get(), packing);
  archive_write_set_bytes_in_last_block(writer.get(), 1);  // no padding of compressed data
  require_packed(archive_write_open(writer.get(), &bytes, nullptr, append_bytes, nullptr),
                 writer.get());
  for (const auto& member : members) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    describe(entry.get(), member);
    require_packed(archive_write_header(writer.get(), entry.get()), writer.get());
    if (member.kind != ArchiveMember::Kind::kFile) continue;
    archive_write_data(writer.get(), member.content.data(), member.content.size());
  }
  require_packed(archive_write_close(writer.get()), writer.get());
  return bytes;
}

}  // namespace projnce::testing
