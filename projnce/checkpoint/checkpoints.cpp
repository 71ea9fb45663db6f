#include "projnce/checkpoint/checkpoints.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"

namespace projnce::checkpoint {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr size_t kDigits = 6;  // so that names sort by step; later steps have more digits

struct StepFile {
  int64_t step;
  fs::path path;
};

std::string name_of(int64_t step) {
  const auto digits = std::to_string(step);
  const std::string zeros(kDigits - std::min(kDigits, digits.size()), '0');
  return concat(kPrefix, zeros, digits, kSuffix);
}

std::optional<int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return {};
  int64_t step = -1;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
  // Accept only the canonical name: "step-7.safetensors" was not written by this class.
  if (step < 0 || name != name_of(step)) return {};
  return step;
}

/// Returns the checkpoint files, newest first.
std::vector<StepFile> list_steps(const fs::path& directory) {
  std::vector<StepFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto step = step_of(entry->path().filename().string())) {
      files.push_back({*step, entry->path()});
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    fail_runtime("cannot list ", directory.string(), ": ", error.message());
  }
  std::sort(files.begin(), files.end(),
            [](const StepFile& a, const StepFile& b) { return a.step > b.step; });
  return files;
}

}  // namespace

CheckpointDir::CheckpointDir(fs::path directory, CheckpointDirOptions options)
    : directory_(std::move(directory)), options_(options) {
  if (options_.keep < 2) {
    fail("keep is ", options_.keep,
         ", expected at least 2 checkpoints, so that an older one remains if the newest is "
         "corrupt");
  }
}

fs::path CheckpointDir::save(int64_t step, const TensorFile& state) const {
  TORCH_CHECK(step >= 0, "CheckpointDir::save: step is ", step, ", expected 0 or more");
  prepare_for_writing();
  const auto path = directory_ / name_of(step);
  save_tensors(path, state);
  int64_t kept = 0;
  for (const auto& file : list_steps(directory_)) {
    if (file.step > step || ++kept <= options_.keep) continue;
    std::error_code ignored;  // the new checkpoint is on disk; a leftover old one is harmless
    fs::remove(file.path, ignored);
  }
  return path;
}

void CheckpointDir::save_best(const TensorFile& state) const {
  prepare_for_writing();
  save_tensors(best_path(), state);
}

fs::path CheckpointDir::best_path() const {
  return directory_ / concat("best", kSuffix);
}

NewestCheckpoint CheckpointDir::newest_valid() const {
  NewestCheckpoint result;
  for (const auto& file : list_steps(directory_)) {
    try {
      result.checkpoint = Checkpoint{file.step, file.path, load_tensors(file.path)};
      break;
    } catch (const Error& error) {
      result.corrupt.push_back({file.path, error.what()});
    }
  }
  return result;
}

void CheckpointDir::prepare_for_writing() const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) fail_runtime("cannot create ", directory_.string(), ": ", error.message());
  io::remove_stale_temporaries(directory_);
}

namespace {

/// Copies `tensors` to the CPU, reusing the memory of `buffers` with the same shape, strides and
/// type.
NamedTensors copy_tensors(const NamedTensors& tensors, NamedTensors buffers) {
  const torch::NoGradGuard no_grad;
  buffers.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& tensor = tensors[i].second;
    auto& [name, buffer] = buffers[i];
    name = tensors[i].first;
    const bool fits = buffer.defined() && buffer.sizes() == tensor.sizes() &&
                      buffer.strides() == tensor.strides() && buffer.dtype() == tensor.dtype();
    if (fits) {
      buffer.copy_(tensor);
    } else {
      buffer = tensor.detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
    }
  }
  return buffers;
}

}  // namespace

CheckpointWriter::CheckpointWriter(CheckpointDir directory, Logger logger)
    : directory_(std::move(directory)), logger_(std::move(logger)) {}

CheckpointWriter::~CheckpointWriter() {
  wait();
}

void CheckpointWriter::save(const CheckpointJob& job) {
  wait();
  if (pending_best_) buffers_.clear();  // the pending job still uses that memory
  buffers_ = copy_tensors(job.state.tensors, std::move(buffers_));
  auto copied = std::make_shared<CheckpointJob>(job);
  copied->state.tensors = buffers_;
  start(std::move(copied));
}

void CheckpointWriter::start(JobPtr job) {
  writing_ = std::async(std::launch::async, [this, job = std::move(job)] {
    // Write the best checkpoint first: a run killed in between resumes from the previous checkpoint
    // and writes both again.
    if (job->best) pending_best_ = job;
    if (job->before) job->before();
    if (pending_best_) directory_.save_best(pending_best_->state);
    pending_best_.reset();
    return directory_.save(job->step, job->state);
  });
}

void CheckpointWriter::finish() {
  wait();
  if (!pending_best_) return;
  start(pending_best_);
  wait();
}

void CheckpointWriter::wait() {
  if (!writing_.valid()) return;
  try {
    newest_ = writing_.get();
  } catch (const std::exception& error) {  // includes std::bad_alloc
    ++failures_;
    logger_->error("failed to write a checkpoint, training continues: {}", error.what());
  }
}

}  // namespace projnce::checkpoint
