#include "projnce/dataset/corrected_folder.h"

#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/corrected_split.h"
#include "projnce/dataset/readers/folder.h"
#include "projnce/dataset/registry.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"
#include "projnce/io/table/data_table.h"

namespace projnce::dataset {

namespace {

namespace fs = std::filesystem;

const std::string kFile = "file";
const std::string kMovedTo = "moved_to";

bool entry_exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

CorrectedSamples describe_files(const FolderListing& listing, const fs::path& folder) {
  CorrectedSamples samples{.name = io::printable(folder.native()),
                           .labels = {},
                           .class_names = {},
                           .name_column = "sample"};
  for (const auto& file : listing.files) {
    samples.names.push_back(io::printable(file.file));
    samples.labels.push_back(io::printable(file.class_name));
  }
  for (const auto& name : listing.class_names) samples.class_names.push_back(io::printable(name));
  samples.version = names_and_labels_version(samples.names, samples.labels);
  return samples;
}

/// "cat/1.jpg" as "cat/1-2.jpg".
std::string numbered_name(const std::string& file, int number) {
  const fs::path path = file;
  return (path.parent_path() / path.stem()).native() + concat("-", number) +
         path.extension().native();
}

/// Name of a relabeled file that no other file has.
std::string relabeled_name(const FolderFile& file, const std::string& class_name,
                           std::set<std::string>& taken) {
  const auto old_folder = io::join_names(file.part, file.class_name);
  const auto name = io::join_names(io::join_names(file.part, class_name),
                                   file.file.substr(old_folder.size() + 1));
  auto free_name = name;
  for (int number = 2; !taken.insert(free_name).second; ++number) {
    free_name = numbered_name(name, number);
  }
  return free_name;
}

void check_output(const fs::path& output, const fs::path& folder) {
  if (entry_exists(output)) fail(io::printable(output.native()), " exists, expected a new folder");
  const auto inside =
      fs::weakly_canonical(fs::absolute(output)).lexically_relative(fs::canonical(folder));
  if (inside.empty() || *inside.begin() != "..") {
    fail("the output ", io::printable(output.native()), " is within ",
         io::printable(folder.native()), ", expected a folder outside of it");
  }
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (to.has_parent_path()) fs::create_directories(to.parent_path(), error);
  if (!error) fs::rename(from, to, error);
  if (!error) return;
  fail_runtime("cannot move ", io::printable(from.native()), " to ", io::printable(to.native()),
               ": ", error.message());
}

fs::path without_slash(const fs::path& folder) {
  const auto path = folder.lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

fs::path with_suffix(const fs::path& folder, const char* suffix) {
  return without_slash(folder).native() + suffix;
}

/// One line of an undo file: paths of a file before and after it was moved.
struct Move {
  fs::path before;
  fs::path after;
  std::string location;
};

/// The name in a field of an undo file. Throws if it leads out of the folder.
std::string checked_name(const io::DataTable& table, int64_t row, const std::string& column) {
  const auto field = table.field(row, table.column(column));
  const auto name = io::normalize_name(field);
  if (name && !name->empty()) return *name;
  fail(table.location(row), " has '", io::printable_start(field), "' in the column '", column,
       "', expected the name of a file in the folder");
}

std::vector<Move> read_moves(const fs::path& folder, const fs::path& undo_file) {
  const auto table = io::read_table(undo_file);
  const auto moved_to = table.column(kMovedTo);
  std::vector<Move> moves;
  for (int64_t row = 0; row < table.size(); ++row) {
    const auto file = checked_name(table, row, kFile);
    const bool dropped = table.field(row, moved_to).empty();
    moves.push_back({.before = folder / file,
                     .after = dropped ? dropped_folder_of(folder) / file
                                      : folder / checked_name(table, row, kMovedTo),
                     .location = table.location(row)});
  }
  return moves;
}

}  // namespace

CorrectedFolder correct_folder(const fs::path& folder, const fs::path& corrections,
                               UncheckedIssues unchecked) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    fail(io::printable(folder.native()), " is not a folder or a table, expected class folders");
  }
  if (const auto name = recognize_dataset(folder)) {
    fail(io::printable(folder.native()), " is a dataset with the layout ", *name,
         ", expected class folders");
  }
  const auto listing = list_folder(io::open_file_tree(folder));
  const auto read = read_corrections(corrections, describe_files(listing, folder), unchecked);
  std::set<std::string> taken;
  for (const auto& file : listing.files) taken.insert(file.file);
  CorrectedFolder corrected{
      .folder = listing.enclosing.empty() ? folder : folder / listing.enclosing,
      .files = {},
      .counts = {}};
  for (const auto& file : listing.files) corrected.files.push_back({file.file, file.file});
  for (const auto& correction : read) {
    auto& file = corrected.files[static_cast<size_t>(correction.row)];
    const auto& listed = listing.files[static_cast<size_t>(correction.row)];
    if (correction.action == CorrectionAction::kDrop) {
      file.moved_to.clear();
      ++corrected.counts.dropped;
    }
    if (correction.action != CorrectionAction::kRelabel) continue;
    for (const auto& name : listing.class_names) {
      if (io::printable(name) != correction.label || name == listed.class_name) continue;
      file.moved_to = relabeled_name(listed, name, taken);
      ++corrected.counts.relabeled;
    }
  }
  corrected.counts.kept = static_cast<int64_t>(listing.files.size()) - corrected.counts.relabeled -
                          corrected.counts.dropped;
  if (corrected.counts.kept + corrected.counts.relabeled == 0) {
    fail("the corrections drop every file of ", io::printable(folder.native()),
         ", expected one to remain");
  }
  return corrected;
}

void link_corrected_files(const fs::path& output, const CorrectedFolder& corrected) {
  check_output(output, corrected.folder);
  const auto folder = fs::canonical(corrected.folder);
  const auto unfinished = with_suffix(output, ".unfinished");
  std::error_code error;
  fs::remove_all(unfinished, error);
  for (const auto& [file, moved_to] : corrected.files) {
    if (moved_to.empty()) continue;
    const auto link = unfinished / moved_to;
    fs::create_directories(link.parent_path(), error);
    if (!error) fs::create_symlink(folder / file, link, error);
    if (!error) continue;
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    fail_runtime("cannot write ", io::printable(link.native()), ": ", error.message());
  }
  move_file(unfinished, without_slash(output));
}

fs::path undo_file_of(const fs::path& folder) {
  return with_suffix(folder, ".undo.csv");
}

fs::path dropped_folder_of(const fs::path& folder) {
  return with_suffix(folder, ".dropped");
}

void move_corrected_files(const CorrectedFolder& corrected) {
  const auto& folder = corrected.folder;
  const auto undo_file = undo_file_of(folder);
  if (entry_exists(undo_file)) {
    fail(Hint{"undo these corrections with --undo, or remove the file to keep them"},
         io::printable(undo_file.native()), " exists from earlier corrections");
  }
  const auto dropped = dropped_folder_of(folder);
  std::string undo = concat(kFile, ",", kMovedTo, "\n");
  for (const auto& [file, moved_to] : corrected.files) {
    if (moved_to == file) continue;
    if (moved_to.empty() && entry_exists(dropped / file)) {
      fail(io::printable((dropped / file).native()), " exists, expected no file of that name");
    }
    undo += concat(io::quote_field(file, ','), ",", io::quote_field(moved_to, ','), "\n");
  }
  io::write_file_atomically(undo_file, undo);
  for (const auto& [file, moved_to] : corrected.files) {
    if (moved_to == file) continue;
    move_file(folder / file, moved_to.empty() ? dropped / file : folder / moved_to);
  }
}

int64_t undo_moves(const fs::path& folder, const fs::path& undo_file) {
  const auto moves = read_moves(folder, undo_file);
  std::vector<const Move*> open;
  for (const auto& move : moves) {
    const bool is_before = entry_exists(move.before);
    const bool is_after = entry_exists(move.after);
    if (is_before == is_after) {
      fail(move.location, ": ", is_before ? "both " : "neither ",
           io::printable(move.before.native()), is_before ? " and " : " nor ",
           io::printable(move.after.native()), is_before ? " exist" : " exists",
           ", expected one of them");
    }
    if (is_after) open.push_back(&move);
  }
  for (const auto* move : open) move_file(move->after, move->before);
  std::error_code ignored;
  fs::remove(undo_file, ignored);
  return static_cast<int64_t>(open.size());
}

}  // namespace projnce::dataset
