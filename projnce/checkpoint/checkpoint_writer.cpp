#include "projnce/checkpoint/checkpoint_writer.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <utility>

#include "projnce/core/error.h"

namespace projnce {

namespace {

/// Copies of `tensors`, in the memory of `buffers` where these are of the same form.
NamedTensors copy_tensors(const NamedTensors& tensors, NamedTensors buffers) {
  const torch::NoGradGuard no_grad;
  buffers.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& tensor = tensors[i].second;
    auto& [name, buffer] = buffers[i];
    name = tensors[i].first;
    const bool fits = buffer.defined() && buffer.sizes() == tensor.sizes() &&
                      buffer.strides() == tensor.strides() &&
                      buffer.options().dtype() == tensor.dtype();
    if (fits) {
      buffer.copy_(tensor);
    } else {
      buffer = tensor.detach().clone();
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
  if (owed_best_) buffers_.clear();  // that memory is still needed
  buffers_ = copy_tensors(job.state.tensors, std::move(buffers_));
  auto copied = std::make_shared<CheckpointJob>(job);
  copied->state.tensors = buffers_;
  start(std::move(copied));
}

void CheckpointWriter::start(JobPtr job) {
  writing_ = std::async(std::launch::async, [this, job = std::move(job)] {
    // The best one first: a run killed in between goes on from before both and writes both again.
    if (job->best) owed_best_ = job;
    if (job->before) job->before();
    if (owed_best_) directory_.save_best(owed_best_->state);
    owed_best_.reset();
    return directory_.save(job->step, job->state);
  });
}

void CheckpointWriter::finish() {
  wait();
  if (!owed_best_) return;
  start(owed_best_);
  wait();
}

void CheckpointWriter::wait() {
  if (!writing_.valid()) return;
  try {
    newest_ = writing_.get();
  } catch (const std::exception& error) {  // memory may be short as well
    ++failures_;
    logger_->error("a checkpoint is missing, training goes on: {}", error.what());
  }
}

}  // namespace projnce
