#include "projnce/core/device.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"

namespace projnce {

namespace {

/// Number of devices of this type; 0 if torch was built without it or finds no driver.
int count_devices(torch::DeviceType type) {
  if (!c10::impl::hasDeviceGuardImpl(type)) return 0;
  return c10::impl::getDeviceGuardImpl(type)->deviceCount();
}

std::string device_names() {
  std::vector<std::string> names;
  for (const auto& device : available_devices()) names.push_back(device.str());
  return join(names);
}

torch::Device parse_device(const std::string& name, const std::string& option) {
  try {
    return torch::Device(name);
  } catch (const c10::Error&) {
    fail(option, " = '", name, "' is not a device, expected auto or one of ", device_names());
  }
}

[[noreturn]] void fail_shared(const std::string& name, const std::string& option,
                              const LocalRank& local, int devices) {
  fail(Hint{"start as many ranks as there are devices (projnce launch -n auto), or use cpu"},
       option, " = '", name, "': ", local.ranks, " ranks on this host would share ",
       counted(devices, "device"), ", expected one device for each rank");
}

}  // namespace

std::vector<torch::Device> available_devices() {
  std::vector<torch::Device> devices = {torch::kCPU};
  for (const auto type : {torch::kCUDA, torch::kPrivateUse1}) {
    for (int i = 0; i < count_devices(type); ++i) {
      devices.emplace_back(type, static_cast<c10::DeviceIndex>(i));
    }
  }
  return devices;
}

torch::Device resolve_device(const std::string& name, const std::string& option,
                             const LocalRank& local) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto" && count_devices(torch::kCUDA) == 0) return torch::kCPU;
  const auto device = parse_device(name == "auto" ? "cuda" : name, option);
  const int devices = device.is_cpu() ? 0 : count_devices(device.type());
  const int index = device.has_index() ? device.index() : local.rank;
  if (local.ranks > 1 && devices > 0 && (device.has_index() || local.ranks > devices)) {
    fail_shared(name, option, local, device.has_index() ? 1 : devices);
  }
  if (index >= devices) {
    fail(option, " = '", name, "' is not available, expected auto or one of ", device_names());
  }
  return {device.type(), static_cast<c10::DeviceIndex>(index)};
}

torch::Tensor upload(const torch::Tensor& tensor, const torch::Device& device) {
  if (device.is_cpu() || !tensor.is_cpu()) return tensor.to(device);
  // CUDA copies asynchronously only from page-locked memory.
  const auto source = device.is_cuda() ? tensor.pin_memory() : tensor;
  return source.to(device, /*non_blocking=*/true);
}

}  // namespace projnce
