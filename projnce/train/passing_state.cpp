#include "projnce/train/passing_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <mutex>

namespace projnce {

torch::Tensor random_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_random_state(const torch::Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(
      state.clone());  // torch 2.13 crashes on a view that does not start its storage
}

std::vector<torch::Tensor> copy_buffers(const EmbeddingModel& model) {
  std::vector<torch::Tensor> copies;
  for (const auto& buffer : model.buffers()) copies.push_back(buffer.detach().clone());
  return copies;
}

void restore_buffers(EmbeddingModel& model, const std::vector<torch::Tensor>& copies) {
  const torch::NoGradGuard no_grad;
  auto buffers = model.buffers();
  for (size_t i = 0; i < copies.size(); ++i) buffers[i].copy_(copies[i]);
}

}  // namespace projnce
