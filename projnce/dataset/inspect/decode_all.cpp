#include "projnce/dataset/inspect/decode_all.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "projnce/core/error.h"

namespace projnce::dataset {

namespace {

/// Samples per work item: small enough to balance the load at the end.
constexpr int64_t kDecodeChunk = 32;

class DecodeJob {
 public:
  DecodeJob(const Dataset& dataset, const DecodeAllOptions& options,
            const std::function<void(int64_t, Sample&&)>& visit)
      : dataset_(dataset), options_(options), visit_(visit), size_(dataset.size()) {}

  void run_worker() {
    work([](int64_t) {});
  }

  void run_main() {
    work([this](int64_t done) {
      if (options_.on_progress) options_.on_progress(done, size_);
    });
  }

  /// REQUIRES: all workers have finished.
  std::vector<CorruptSample> result() {
    if (failure_) std::rethrow_exception(failure_);
    if (options_.on_progress) options_.on_progress(size_, size_);
    std::sort(corrupt_.begin(), corrupt_.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    return std::move(corrupt_);
  }

 private:
  template <class Report>
  void work(const Report& report) {
    try {
      for (int64_t begin; (begin = next_.fetch_add(kDecodeChunk)) < size_;) {
        const int64_t end = std::min(begin + kDecodeChunk, size_);
        for (int64_t i = begin; i < end; ++i) decode(i);
        report(done_ += end - begin);
      }
    } catch (...) {
      next_ = size_;  // the other threads stop after their chunk
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void decode(int64_t index) {
    Sample sample;
    try {
      sample = dataset_.decode(index);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      const std::lock_guard lock(mutex_);
      corrupt_.push_back({index, dataset_.sample_name(index), error.what()});
      return;
    }
    visit_(index, std::move(sample));
  }

  const Dataset& dataset_;
  const DecodeAllOptions& options_;
  const std::function<void(int64_t, Sample&&)>& visit_;
  const int64_t size_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<int64_t> done_ = 0;
  std::mutex mutex_;
  std::vector<CorruptSample> corrupt_;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<CorruptSample> decode_all(const Dataset& dataset, const DecodeAllOptions& options,
                                      const std::function<void(int64_t, Sample&&)>& visit) {
  DecodeJob job(dataset, options, visit);
  {
    std::vector<std::jthread> workers;  // joined at the end of the block
    for (int i = 1; i < options.threads; ++i) workers.emplace_back([&job] { job.run_worker(); });
    job.run_main();
  }
  return job.result();
}

}  // namespace projnce::dataset
