#include "projnce/distributed/process_group.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "projnce/core/error.h"
#include "projnce/distributed/process_group_impl.h"

namespace projnce::distributed {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

struct PendingAllReduce::State {
  std::shared_ptr<ProcessGroupImpl> group;
  WorkPtr work;
  const char* what;
};

namespace {

constexpr int64_t kSmallReduceBytes = 16 << 10;

[[noreturn]] void fail_lost(ProcessGroupImpl& group, const char* what,
                            const std::exception& error) {
  group.lost = true;
  fail_runtime("rank ", group.rank, " of ", group.world, " lost the other ranks while ", what,
               ": a rank died or did not answer within ", in_seconds(group.timeout), " (",
               first_line_of(error), ")");
}

/// Starts an operation and waits for it; with NCCL, only the device waits.
template <class Start>
void run_collective(ProcessGroupImpl& group, const char* what, Start&& start) {
  try {
    start()->wait();
  } catch (const std::exception& error) {
    fail_lost(group, what, error);
  }
}

int64_t bytes_in(const torch::Tensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(tensor.element_size());
}

int64_t total_rows(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

/// Returns an uninitialized tensor [rows, ...] with the remaining dimensions of `like`.
torch::Tensor empty_rows(const torch::Tensor& like, int64_t rows) {
  auto shape = like.sizes().vec();
  shape[0] = rows;
  return torch::empty(shape, like.options());
}

/// Pads `mine` with zero rows, because Gloo needs blocks of equal size.
torch::Tensor padded_rows(const torch::Tensor& mine, int64_t rows) {
  if (mine.size(0) == rows) return mine.contiguous();
  auto padded = empty_rows(mine, rows).zero_();
  padded.narrow(0, 0, mine.size(0)).copy_(mine);
  return padded;
}

/// Splits a gathered tensor [W * rows, ...] into W views of equal size.
std::vector<torch::Tensor> blocks_of(const torch::Tensor& all, int world) {
  std::vector<torch::Tensor> blocks;
  const auto rows = all.size(0) / world;
  for (int rank = 0; rank < world; ++rank) blocks.push_back(all.narrow(0, rank * rows, rows));
  return blocks;
}

/// True if the tensor is on a device without its own backend: it is copied to the CPU and back.
bool needs_host_copy(const std::shared_ptr<ProcessGroupImpl>& group, const torch::Tensor& tensor) {
  return group && !tensor.is_cpu() && !(group->nccl && tensor.is_cuda());
}

/// Runs `action` on a copy on the CPU and copies the result back.
template <class Action>
void on_host_copy(torch::Tensor& tensor, Action&& action) {
  const torch::NoGradGuard no_grad;
  auto host = tensor.cpu();
  action(host);
  tensor.copy_(host);
}

/// Runs `action` on a contiguous copy, if needed, and copies the result back. Gloo ignores strides:
/// it would access memory outside a strided view, and mix up elements if strides differ by rank.
template <class Action>
void on_contiguous(torch::Tensor& tensor, Action&& action) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> contiguous = {tensor.contiguous()};
  action(contiguous);
  if (!tensor.is_contiguous()) tensor.copy_(contiguous.front());
}

}  // namespace

PendingAllReduce::PendingAllReduce(std::shared_ptr<State> state) : state_(std::move(state)) {}

void PendingAllReduce::wait() {
  if (!state_) return;
  const auto state = std::move(state_);
  try {
    state->work->wait();
  } catch (const std::exception& error) {
    fail_lost(*state->group, state->what, error);
  }
}

ProcessGroupPtr ProcessGroup::single_process() {
  return std::make_shared<ProcessGroup>(nullptr);
}

ProcessGroup::ProcessGroup(std::shared_ptr<ProcessGroupImpl> group) : group_(std::move(group)) {}

ProcessGroup::~ProcessGroup() = default;

int ProcessGroup::rank() const {
  return group_ ? group_->rank : 0;
}

int ProcessGroup::size() const {
  return group_ ? group_->world : 1;
}

void ProcessGroup::use_device(const torch::Device& device) {
  if (group_ && device.is_cuda() && !group_->nccl) connect_nccl(*group_, device);
}

std::vector<int64_t> ProcessGroup::all_gather_counts(int64_t mine, const char* what) {
  const auto counts = all_gather(torch::tensor(mine, torch::kLong), what);
  const auto* values = counts.data_ptr<int64_t>();
  return {values, values + counts.numel()};
}

torch::Tensor ProcessGroup::all_gather_rows(const torch::Tensor& mine,
                                            const std::vector<int64_t>& counts, const char* what) {
  TORCH_CHECK(counts.size() == static_cast<size_t>(size()) && mine.dim() > 0 &&
                  mine.size(0) == counts[static_cast<size_t>(rank())],
              "all_gather_rows: shape ", mine.sizes(), " does not match counts ", counts);
  if (!group_) return mine;
  const torch::NoGradGuard no_grad;
  if (needs_host_copy(group_, mine)) {
    return all_gather_rows(mine.cpu(), counts, what).to(mine.device());
  }
  const auto rows = *std::max_element(counts.begin(), counts.end());
  if (rows == 0) return mine;
  auto all = empty_rows(mine, rows * size());
  std::vector<torch::Tensor> inputs = {padded_rows(mine, rows)};
  std::vector<std::vector<torch::Tensor>> outputs = {blocks_of(all, size())};
  run_collective(*group_, what, [&] { return group_->backend(mine).allgather(outputs, inputs); });
  if (total_rows(counts) == all.size(0)) return all;
  auto& blocks = outputs.front();
  for (size_t r = 0; r < blocks.size(); ++r) blocks[r] = blocks[r].narrow(0, 0, counts[r]);
  return torch::cat(blocks);
}

torch::Tensor ProcessGroup::all_gather(const torch::Tensor& mine, const char* what) {
  const std::vector<int64_t> one_each(static_cast<size_t>(size()), 1);
  return all_gather_rows(mine.unsqueeze(0), one_each, what);
}

torch::Tensor ProcessGroup::reduce_scatter(const torch::Tensor& all,
                                           const std::vector<int64_t>& counts, const char* what) {
  TORCH_CHECK(counts.size() == static_cast<size_t>(size()) && all.dim() > 0 &&
                  all.size(0) == total_rows(counts),
              "reduce_scatter: shape ", all.sizes(), " does not match counts ", counts);
  if (!group_ || all.numel() == 0) return all;
  const torch::NoGradGuard no_grad;
  if (needs_host_copy(group_, all)) {
    return reduce_scatter(all.cpu(), counts, what).to(all.device());
  }
  const auto mine = counts[static_cast<size_t>(rank())];
  auto input = all.contiguous();
  auto received = empty_rows(all, mine * size());
  auto send_rows = counts;
  auto receive_rows = std::vector<int64_t>(counts.size(), mine);
  run_collective(*group_, what, [&] {
    return group_->backend(all).alltoall_base(received, input, receive_rows, send_rows);
  });
  const auto parts = blocks_of(received, size());
  auto result = parts.front().clone();
  for (size_t r = 1; r < parts.size(); ++r) result.add_(parts[r]);
  return result;
}

void ProcessGroup::all_reduce(torch::Tensor& tensor, const char* what) {
  if (!group_ || tensor.numel() == 0) return;
  if (needs_host_copy(group_, tensor)) {
    return on_host_copy(tensor, [&](torch::Tensor& host) { all_reduce(host, what); });
  }
  if (bytes_in(tensor) <= kSmallReduceBytes) return all_reduce_small(tensor, what);
  on_contiguous(tensor, [&](std::vector<torch::Tensor>& contiguous) {
    run_collective(*group_, what, [&] { return group_->backend(tensor).allreduce(contiguous); });
  });
}

/// Needs one round of messages instead of the four of the ring all-reduce.
void ProcessGroup::all_reduce_small(torch::Tensor& tensor, const char* what) {
  const torch::NoGradGuard no_grad;
  const auto all = all_gather(tensor, what);
  tensor.copy_(all[0]);
  for (int64_t rank = 1; rank < size(); ++rank) tensor.add_(all[rank]);
}

void ProcessGroup::broadcast(torch::Tensor& tensor, const char* what) {
  if (!group_ || tensor.numel() == 0) return;
  if (needs_host_copy(group_, tensor)) {
    return on_host_copy(tensor, [&](torch::Tensor& host) { broadcast(host, what); });
  }
  on_contiguous(tensor, [&](std::vector<torch::Tensor>& contiguous) {
    run_collective(*group_, what, [&] { return group_->backend(tensor).broadcast(contiguous); });
  });
}

std::string ProcessGroup::broadcast_text(const std::string& text, const char* what) {
  auto length = torch::full({1}, static_cast<int64_t>(text.size()), torch::kLong);
  broadcast(length, what);
  if (length.item<int64_t>() == 0) return {};
  auto bytes = torch::zeros({length.item<int64_t>()}, torch::kByte);
  auto* memory = reinterpret_cast<char*>(bytes.data_ptr<uint8_t>());
  if (is_rank_zero()) std::memcpy(memory, text.data(), text.size());
  broadcast(bytes, what);
  return {memory, static_cast<size_t>(bytes.numel())};
}

void ProcessGroup::barrier(const char* what) {
  if (!group_) return;
  run_collective(*group_, what, [&] { return group_->gloo->barrier(); });
}

PendingAllReduce ProcessGroup::start_all_reduce(const torch::Tensor& flat, const char* what) {
  TORCH_CHECK(flat.is_contiguous(), "start_all_reduce: expected a contiguous tensor");
  if (!group_ || flat.numel() == 0) return PendingAllReduce(nullptr);
  if (needs_host_copy(group_, flat)) {
    auto target = flat;
    all_reduce(target, what);
    return PendingAllReduce(nullptr);
  }
  std::vector<torch::Tensor> tensors = {flat};
  WorkPtr work;
  try {
    work = group_->backend(flat).allreduce(tensors);
  } catch (const std::exception& error) {
    fail_lost(*group_, what, error);
  }
  return PendingAllReduce(std::make_shared<PendingAllReduce::State>(
      PendingAllReduce::State{group_, std::move(work), what}));
}

}  // namespace projnce::distributed
