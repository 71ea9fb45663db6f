#ifdef PROJNCE_NCCL  // an option of CMake
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL
#endif
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "projnce/core/error.h"
#include "projnce/distributed/process_group_impl.h"

namespace projnce::distributed {

#ifdef PROJNCE_NCCL

void connect_nccl(ProcessGroupImpl& group, const torch::Device& device) {
  c10::cuda::set_device(device.index());
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = group.timeout;
  try {
    group.nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(
        c10::make_intrusive<c10d::PrefixStore>("nccl", group.store), group.rank, group.world,
        options);
  } catch (const std::exception& error) {
    fail_runtime("rank ", group.rank, " of ", group.world, " cannot use NCCL on ", device, ": ",
                 first_line_of(error));
  }
}

#else

void connect_nccl(ProcessGroupImpl& group, const torch::Device& device) {
  fail(Hint{"use one rank or the CPU, or build with -DPROJNCE_NCCL=ON and a LibTorch with CUDA"},
       group.world, " ranks on ", device.type(),
       " devices need NCCL, without which this program was built");
}

#endif

}  // namespace projnce::distributed
