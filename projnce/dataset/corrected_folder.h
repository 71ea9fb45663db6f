#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/corrections.h"

namespace projnce::dataset {

/// A file of class folders with its place after corrections. Names are relative to the folder.
struct CorrectedFile {
  std::string file;      ///< "train/cat/1.jpg"
  std::string moved_to;  ///< "train/dog/1.jpg"; the same as `file` if kept, "" if dropped
};

/// Class folders, and the place of each of their files after corrections.
struct CorrectedFolder {
  std::filesystem::path folder;  ///< contains the class folders, or `train` and `test`
  std::vector<CorrectedFile> files;
  CorrectionCounts counts;
};

/// Reads corrections of class folders (open_folder), in which the column `sample` names a file. If
/// a relabeled file would replace another one, a number is appended to its name. Throws like
/// read_corrections, if the folder is an archive or a dataset with another layout, or if no file
/// remains.
CorrectedFolder correct_folder(const std::filesystem::path& folder,
                               const std::filesystem::path& corrections,
                               UncheckedIssues unchecked = UncheckedIssues::kReject);

/// Writes a folder of symbolic links to the files that are not dropped. Throws if `output` exists,
/// or is within the folder.
void link_corrected_files(const std::filesystem::path& output, const CorrectedFolder& corrected);

/// Paths that move_corrected_files writes, next to the folder.
std::filesystem::path undo_file_of(const std::filesystem::path& folder);       // photos.undo.csv
std::filesystem::path dropped_folder_of(const std::filesystem::path& folder);  // photos.dropped

/// Moves relabeled files to their new class folder and dropped ones to dropped_folder_of. First
/// writes undo_file_of, which undo_moves reads. Throws before any file is moved if that exists or
/// a dropped file would replace another one.
void move_corrected_files(const CorrectedFolder& corrected);

/// Moves the files back that are not in their place yet, then removes the undo file. Returns their
/// number. Throws before any file is moved if the undo file is invalid, or a file is in neither or
/// both of its places.
int64_t undo_moves(const std::filesystem::path& folder, const std::filesystem::path& undo_file);

}  // namespace projnce::dataset
