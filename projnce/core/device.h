#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace projnce {

/// This process among the processes of its host that train together, one for each device.
struct LocalRank {
  int rank = 0;
  int ranks = 1;
};

/// Devices that this process can use, the CPU first.
std::vector<torch::Device> available_devices();

/// Returns the device called `name`: "auto" (CUDA if there is a device, otherwise the CPU), "cpu",
/// "cuda" (the device of this rank), "cuda:1", or another device of torch. Throws if it does not
/// exist or if several ranks would share it; `option` is the name of the option in the message.
torch::Device resolve_device(const std::string& name, const std::string& option,
                             const LocalRank& local = {});

/// Copies a CPU tensor to a device without waiting for the device. For the CPU returns the tensor.
torch::Tensor upload(const torch::Tensor& tensor, const torch::Device& device);

}  // namespace projnce
