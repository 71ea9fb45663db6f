#include "projnce/pipeline/run_journal.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "projnce/io/atomic_file.h"

namespace projnce {

RunJournal::RunJournal(const RunPaths& paths, const JournalOptions& options, const Logger& logger)
    : metrics_(paths.metrics(), options.keep_bytes, logger) {
  if (options.live) page_.emplace(paths.root, logger);
}

void RunJournal::append(int64_t step, int64_t epoch, const char* split, const std::string& name,
                        nlohmann::ordered_json value) {
  metrics_.append({{"step", step},
                   {"epoch", epoch},
                   {"split", split},
                   {"name", name},
                   {"value", std::move(value)}});
  if (page_) page_->update();
}

void record_command(const RunPaths& paths, const std::string& command) {
  if (command.empty()) return;
  std::ifstream file(paths.commands());
  const std::string before{std::istreambuf_iterator<char>(file), {}};
  write_file_atomically(paths.commands(), before + command + "\n");
}

}  // namespace projnce
